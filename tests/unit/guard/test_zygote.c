// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_zygote.c - the process that makes workers: what they inherit of whoever asks for them, which is
 * nothing; what it says of their beginning and end; how many there may be; its own end, and that of its
 * parent.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guard/isolate.h"
#include "guard/message.h"
#include "guard/reply.h"
#include "guard/worker.h"
#include "guard/zygote.h"
#include "proc/procfs.h"
#include "tests/forge/test.h"

#define PATIENCE_MS 10000

static struct zygote zygote;
static int table = -1;
static pid_t parser; /* of the worker that was started last */

static int setup(void **state)
{
	(void)state;
	table = memfd_create("table", MFD_CLOEXEC);
	return zygote_start(&zygote, table, "/nonexistent");
}

static int teardown(void **state)
{
	(void)state;
	zygote_end(&zygote);
	close(table);
	return 0;
}

static struct zygote_event next(int *ret_pidfd)
{
	struct pollfd fd = { .fd = zygote.control, .events = POLLIN };
	struct zygote_event e;

	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_int_equal(zygote_next(&zygote, &e, ret_pidfd), 0);
	return e;
}

/* A new worker: the socket to it. */
static int ask(__u32 serial)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(zygote_ask(&zygote, serial, pair[1]), 0);
	close(pair[1]);
	return pair[0];
}

static int start(__u32 serial, pid_t *ret_pid, int *ret_pidfd)
{
	int socket = ask(serial);
	struct zygote_event e = next(ret_pidfd);

	assert_int_equal(e.type, ZYGOTE_STARTED);
	assert_int_equal(e.serial, serial);
	assert_true(e.pid > 0 && *ret_pidfd >= 0);
	assert_true(e.parser > 0 && e.parser != e.pid);
	parser = e.parser;
	*ret_pid = e.pid;
	return socket;
}

/* It has prepared itself when it answers. */
static void answers(int socket)
{
	static struct worker_reply reply;
	struct worker_request r = { .type = WORKER_CONTAINER, .pid = getpid() };
	const size_t size = request_row(r.type)->size;

	assert_int_equal(procfs_start_ticks(getpid(), &r.start_ticks), 0);
	assert_int_equal(send(socket, &r, size, MSG_NOSIGNAL), size);
	assert_int_equal(recv(socket, &reply, sizeof(reply), 0), reply_size(ANSWER_CONTAINER));
	assert_int_equal(reply.error, 0);
}

static void ends(__u32 serial, pid_t pid)
{
	int none = -1;
	struct zygote_event e = next(&none);

	assert_int_equal(e.type, ZYGOTE_ENDED);
	assert_int_equal(e.serial, serial);
	assert_int_equal(e.pid, pid);
	assert_int_equal(none, -1);
	if (pid)
		assert_int_equal(kill(pid, 0), -1);
}

TEST(works_and_ends)
{
	int socket, pidfd = -1;
	pid_t pid;

	for (__u32 serial = 5; serial < 8; serial++) {
		socket = start(serial, &pid, &pidfd);
		answers(socket);
		if (serial == 6)
			close(socket);
		else
			assert_int_equal(syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0), 0);
		ends(serial, pid);
		if (serial != 6)
			close(socket);
		close(pidfd);
	}
}

/* In /proc/PID/NAME. */
static bool says(pid_t pid, const char *name, const char *text)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[4096];

	snprintf(line, sizeof(line), "/proc/%d/%s", pid, name);
	f = fopen(line, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, text))
			return true;
	return false;
}

static __u64 capabilities(pid_t pid, const char *set)
{
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long found = ~0ULL;
	char line[256];

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	f = fopen(line, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, set, strlen(set)))
			sscanf(line + strlen(set), ":%llx", &found);
	return found;
}

/* Lists of system calls that hold for a process: those of whoever forked it, and its own. */
static int filters(pid_t pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[256];
	int found = -1;

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	f = fopen(line, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "Seccomp_filters: %d", &found);
	assert_int_not_equal(found, -1);
	return found;
}

static void may_do_little(pid_t pid, __u64 privileges)
{
	__u64 here;

	assert_int_equal(privileges_get(&here), 0);
	assert_int_equal(capabilities(pid, "CapEff"), here & privileges);
	assert_int_equal(capabilities(pid, "CapPrm"), here & privileges);
	assert_int_equal(capabilities(pid, "CapInh"), 0);
	assert_int_equal(capabilities(pid, "CapAmb"), 0);
	if (here & PRIVILEGE(CAP_SETPCAP))
		assert_int_equal(capabilities(pid, "CapBnd"), 0);
	assert_true(says(pid, "status", "NoNewPrivs:\t1\n"));
	assert_true(says(pid, "status", "Seccomp:\t2\n"));
}

static void has_no_more_than(pid_t pid, int descriptors)
{
	char path[64];

	for (int fd = descriptors; fd < 100; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		assert_int_equal(readlink(path, (char[8]){ 0 }, 8), -1);
	}
}

/* What is opened and mapped after the zygote's start is neither its nor any worker's. */
TEST(inherits_nothing)
{
	int secret = memfd_create("secret", 0), socket, pidfd = -1;
	void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, secret, 0);
	pid_t pid;

	assert_ptr_not_equal(mapped, MAP_FAILED);
	for (int round = 0; round < 2; round++) {
		socket = start(round, &pid, &pidfd);
		answers(socket);
		assert_true(says(getpid(), "maps", "secret"));
		assert_false(says(pid, "maps", "secret") || says(zygote.pid, "maps", "secret"));
		while (filters(parser) == filters(zygote.pid)) /* its own comes last; main() has an alarm */
			usleep(1000);
		assert_false(says(parser, "maps", "secret"));
		has_no_more_than(pid, 6);
		has_no_more_than(parser, 4);
		may_do_little(pid, WORKER_PRIVILEGES);
		may_do_little(parser, 0);
		may_do_little(zygote.pid, WORKER_PRIVILEGES);
		kill(pid, SIGKILL);
		ends(round, pid);
		close(socket);
		close(pidfd);
	}
	munmap(mapped, 4096);
	close(secret);
}

/* Neither outlives the other, not even one that is stopped; their end is said once. */
TEST(parser_and_worker_end_together)
{
	int socket, pidfd = -1;
	pid_t pid;

	for (__u32 serial = 0; serial < 6; serial++) {
		socket = start(serial, &pid, &pidfd);
		if (serial & 2)
			answers(socket);
		kill(serial & 1 ? pid : parser, SIGSTOP);
		kill(serial & 1 ? parser : pid, SIGKILL);
		ends(serial, pid);
		assert_int_equal(kill(parser, 0), -1);
		assert_int_equal(zygote_next(&zygote, &(struct zygote_event){}, &pidfd), -EAGAIN);
		close(socket);
		close(pidfd);
	}
}

TEST(no_more_than_a_few)
{
	int sockets[ZYGOTE_WORKERS_MAX], pidfd = -1, one;
	pid_t pids[ZYGOTE_WORKERS_MAX], pid;

	for (int i = 0; i < ZYGOTE_WORKERS_MAX; i++) {
		sockets[i] = start(i, &pids[i], &pidfd);
		close(pidfd);
	}
	one = ask(100);
	ends(100, 0);
	close(one);
	kill(pids[3], SIGKILL);
	ends(3, pids[3]);
	one = start(101, &pid, &pidfd);
	answers(one);
	answers(sockets[7]);
	close(pidfd);
	close(one);
	for (int i = 0; i < ZYGOTE_WORKERS_MAX; i++)
		close(sockets[i]);
}

TEST(a_request_without_a_socket)
{
	const struct zygote_request request = { 42 };

	assert_int_equal(message_send(zygote.control, &request, sizeof(request), -1, 0), 0);
	ends(42, 0);
}

/* With workers that are busy with nothing; the one that is stopped must go as well. */
TEST(ends_with_its_workers)
{
	int socket, pidfd = -1;
	pid_t pid;

	socket = start(1, &pid, &pidfd);
	kill(pid, SIGSTOP);
	assert_int_equal(zygote_end(&zygote), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(zygote_end(&zygote), 0);
	close(socket);
	close(pidfd);
}

TEST(is_killed)
{
	struct pollfd fd = { .events = POLLIN };
	int socket, pidfd = -1;
	struct zygote_event e;
	pid_t pid;

	socket = start(1, &pid, &pidfd);
	answers(socket);
	kill(zygote.pid, SIGKILL);
	fd.fd = pidfd;
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1); /* its worker with it */
	fd.fd = zygote.control;
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_int_equal(zygote_next(&zygote, &e, &pidfd), -EPIPE);
	assert_int_equal(zygote_ask(&zygote, 2, socket), -EPIPE);
	assert_int_equal(zygote_end(&zygote), -EPIPE);
	close(socket);
	close(pidfd);
}

/* Ctrl-C on a terminal, and a service manager's stop, reach it as well as the profiler. */
TEST(ignores_what_is_sent_to_the_group)
{
	int socket, pidfd = -1;
	pid_t pid;

	close(start(1, &pid, &pidfd)); /* so that it is prepared */
	close(pidfd);
	ends(1, pid);
	kill(zygote.pid, SIGINT);
	kill(zygote.pid, SIGTERM);
	kill(zygote.pid, SIGHUP);
	socket = start(2, &pid, &pidfd);
	answers(socket);
	close(socket);
	close(pidfd);
}

AROUND_EACH(setup, teardown);
ENDS_IN(120);
