/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - the real objects that targets/ works with, for its tests: the kernel side, a worker process, the
 * stores, and children to look at.
 */
#ifndef PYPERF_TESTS_PARTS_H
#define PYPERF_TESTS_PARTS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "names/codes.h"
#include "targets/registry.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/need_kernel.h"

#define PATIENCE_SECONDS 20 /* for an answer; one comes after milliseconds, but the machine may be busy */

static struct worker *worker;
static struct registry *registry;
static struct codes *codes;
static pid_t children[8]; /* all end with the test */
static int child_count;

static inline int open_parts(void **state)
{
	(void)state;
	return worker_start(&worker, "/nonexistent") ?: registry_new(&registry) ?: codes_new(&codes, 0);
}

static inline void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < child_count; i++)
		if (children[i] == pid)
			children[i] = children[--child_count];
}

static inline int close_parts(void **state)
{
	(void)state;
	while (child_count)
		end_child(children[0]);
	worker_stop(TAKE_PTR(worker));
	registry_free(TAKE_PTR(registry));
	codes_free(TAKE_PTR(codes));
	return 0;
}

/* A child that waits, or runs that command if there is one. It ends when the test does. */
static inline pid_t start_child(char *const *command)
{
	pid_t pid = fork();

	assert_true(pid >= 0 && child_count < (int)ARRAY_SIZE(children));
	if (pid) {
		children[child_count++] = pid;
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (command) {
		execv(command[0], command);
		_exit(127);
	}
	for (;;)
		pause();
}

struct seek {
	__u32 pid;
	struct record_process found;
};

static inline int seek_process(void *context, const struct record_process *p)
{
	struct seek *s = context;

	if (p->pid == s->pid)
		s->found = *p;
	return 0;
}

/* A process as the kernel side sees it. */
static inline struct record_process process_of(pid_t pid)
{
	struct seek s = { .pid = pid };

	assert_int_equal(kernel_list_processes(kernel, seek_process, &s), 0);
	assert_int_equal(s.found.pid, pid);
	return s.found;
}

/* Waits until worker_receive() may have something. */
static inline void wait_for_worker(void)
{
	struct pollfd p = { .fd = worker_fd(worker), .events = POLLIN };

	assert_true(poll(&p, 1, worker_timeout_ms(worker)) >= 0);
	worker_check_deadline(worker);
}

/* The worker's next answer. A table in it is the caller's to free. */
static inline void receive(struct worker_reply *ret)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	while (worker_receive(worker, ret)) {
		assert_true(clock_seconds() < end);
		wait_for_worker();
	}
}

static int saved_stderr = -1, log_fd = -1;

/* From here on what is logged is kept. */
static inline void begin_log(void)
{
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	log_fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	assert_true(saved_stderr >= 0 && log_fd >= 0);
	assert_true(dup2(log_fd, STDERR_FILENO) >= 0);
}

/* What was logged since, valid until the next call. */
static inline const char *end_log(void)
{
	static char text[8192];
	ssize_t n;

	fflush(stderr);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	n = pread(log_fd, text, sizeof(text) - 1, 0);
	close(log_fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

#endif
