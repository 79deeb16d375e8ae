/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * open_kernel.h - the kernel side for tests: opened or the test skipped, a child that burns CPU time, and
 * both gone after the test.
 */
#ifndef PYPERF_TESTS_OPEN_KERNEL_H
#define PYPERF_TESTS_OPEN_KERNEL_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kern/kernel.h"
#include "kern/process_table.h"
#include "kern/stats.h"
#include "tests/forge/own_fds.h"
#include "tests/forge/test.h"

static struct kernel *kernel, *second;
static pid_t child;

static const struct kernel_options everything = {
	.needs = NEEDS_TICKS, .frequency = 199, .all = true, .follow = true, .max_depth = 64
};
static const struct kernel_options selected = {
	.needs = NEEDS_TICKS, .frequency = 199, .follow = true, .max_depth = 64
};

/* Opens, or skips the test where this is not allowed or not possible at all. */
static inline struct kernel *open_kernel(struct kernel_options o)
{
	struct kernel *k = NULL;
	int err = kernel_open(&k, &o);

	if (err == -EPERM || err == -EACCES || err == -ENOTSUP) {
		print_message("SKIP: %s\n", kernel_reason(k));
		kernel_close(k);
		skip();
	}
	if (err)
		fail_msg("%s", kernel_reason(k));
	return k;
}

static inline void start(struct kernel *k)
{
	int cpus = -1;

	if (kernel_start(k, &cpus))
		fail_msg("%s", kernel_reason(k));
	assert_int_equal(cpus, sysconf(_SC_NPROCESSORS_ONLN));
}

static inline void end_child(void)
{
	if (child <= 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = 0;
}

static inline int teardown(void **state)
{
	(void)state;
	end_child();
	kernel_close(kernel);
	kernel_close(second);
	kernel = second = NULL;
	return 0;
}

static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* CPU time, not real time: others use this machine as well. */
static inline void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

/* A child that burns, ends with us, and is called "burner" by the time this returns. */
static inline void start_child(void)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "burner");
		close(ready[0]);
		close(ready[1]);
		for (;;)
			burn(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0);
	close(ready[0]);
}

struct sought {
	__u32 pid;
	int calls, found;
	struct record_process process;
};

static inline int seek(void *context, const struct record_process *p)
{
	struct sought *s = context;

	s->calls++;
	if (p->pid != s->pid)
		return 0;
	s->found++;
	s->process = *p;
	return 0;
}

static inline struct record_process find_process(struct kernel *k, pid_t pid)
{
	struct sought s = { .pid = pid };

	assert_int_equal(kernel_list_processes(k, seek, &s), 0);
	assert_int_equal(s.found, 1);
	return s.process;
}

static inline __u64 outcome_sum(const struct kernel_stats *s)
{
	__u64 sum = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		sum += s->sum.outcome[EVENT_CPU][i];
	return sum;
}

#endif
