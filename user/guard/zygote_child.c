// SPDX-License-Identifier: GPL-2.0-only
/*
 * zygote_child.c - the zygote's own side of zygote.h. It waits for requests and for the end of its workers
 * and parsers, and does not trust the profiler with more than that: what it reads from there is a number and
 * a socket.
 */
#include "guard/zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guard/confine.h"
#include "guard/isolate.h"
#include "guard/message.h"
#include "guard/parser.h"
#include "guard/requests.h"
#include "guard/sandbox.h"
#include "guard/worker.h"

#define END_MS 100 /* for workers that were killed to be gone */

/* They live and die together. */
enum zygote_member { PARSER, WORKER, MEMBERS };

struct made {
	__u32 serial;
	__u64 cpu_ns;	    /* of those that have ended */
	pid_t pid[MEMBERS]; /* 0 = could not be made */
	int pidfd[MEMBERS]; /* -1 = has ended */
};

struct zygote_state {
	const char *pod_logs;
	int landlock; /* confine_version() */
	unsigned int count;
	struct made made[ZYGOTE_WORKERS_MAX];
};

static int open_pidfd(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

static void tell(const struct zygote_event *e, int fd)
{
	/* A profiler that is gone is noticed by the end of the socket. */
	message_send(ISOLATED_SOCKET_FD, e, sizeof(*e), fd, 0);
}

static void tell_not_made(__u32 serial)
{
	tell(&(struct zygote_event){ .type = ZYGOTE_ENDED, .serial = serial }, -1);
}

/* In the new worker: whoever asked for it knows it before it answers anything. */
static void become_worker(const struct made *m, const struct worker_child *c)
{
	const struct zygote_event e = {
		.type = ZYGOTE_STARTED,
		.serial = m->serial,
		.pid = getpid(),
		.parser = m->pid[PARSER],
	};
	int pidfd = open_pidfd(e.pid);

	if (pidfd < 0)
		_exit(1);
	tell(&e, pidfd);
	worker_child_run(c);
}

/* As fork() returns. */
static pid_t make(struct made *m, enum zygote_member which)
{
	pid_t pid = fork();

	if (pid <= 0)
		return pid;
	m->pid[which] = pid;
	m->pidfd[which] = open_pidfd(pid);
	if (m->pidfd[which] < 0) /* its end could not be waited for; it is killed with this process */
		_exit(-m->pidfd[which]);
	return pid;
}

static void kill_member(const struct made *m, enum zygote_member which)
{
	if (m->pidfd[which] >= 0)
		syscall(SYS_pidfd_send_signal, m->pidfd[which], SIGKILL, NULL, 0);
}

static void make_worker(struct zygote_state *z, __u32 serial, int socket)
{
	struct worker_child c = { socket, ISOLATED_TABLE_FD, -1, getpid(), z->pod_logs };
	struct made m = { .serial = serial, .pidfd = { -1, -1 } };
	_cleanup_close_ int asks = -1, answers = -1;
	pid_t pid;
	int pair[2];

	if (z->count == ZYGOTE_WORKERS_MAX || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		tell_not_made(serial);
		return;
	}
	c.parser = asks = pair[0];
	answers = pair[1];
	pid = make(&m, PARSER);
	if (!pid)
		parser_child_run(answers, c.parent, z->landlock);
	if (pid < 0) {
		tell_not_made(serial);
		return;
	}
	pid = make(&m, WORKER);
	if (!pid)
		become_worker(&m, &c);
	if (pid < 0) /* that it was not made is said when the parser has ended */
		kill_member(&m, PARSER);
	z->made[z->count++] = m;
}

/* False when the profiler is gone. */
static bool take_request(struct zygote_state *z)
{
	_cleanup_close_ int socket = -1;
	struct zygote_request request;
	int err = message_receive(ISOLATED_SOCKET_FD, &request, sizeof(request), &socket, 0);

	if (err)
		return false;
	if (socket < 0)
		tell_not_made(request.serial);
	else
		make_worker(z, request.serial, socket);
	return true;
}

static __u64 nanoseconds(struct timeval t)
{
	return t.tv_sec * 1000000000ULL + t.tv_usec * 1000ULL;
}

/* Waits for one that has ended, and ends the other. */
static void reap(struct zygote_state *z, unsigned int i, enum zygote_member which)
{
	struct made *m = &z->made[i];
	struct rusage usage = {};

	if (wait4(m->pid[which], NULL, WNOHANG, &usage) != m->pid[which])
		return;
	m->cpu_ns += nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
	close(TAKE_FD(m->pidfd[which]));
	kill_member(m, !which);
	if (m->pidfd[!which] >= 0)
		return;
	tell(&(struct zygote_event){ .type = ZYGOTE_ENDED,
				     .serial = m->serial,
				     .pid = m->pid[WORKER],
				     .cpu_ns = m->cpu_ns },
	     -1);
	*m = z->made[--z->count];
}

/* Waits until there is something to do, at most so long, and reaps. Returns whether a request is there. */
static bool wait_for_events(struct zygote_state *z, int timeout_ms)
{
	struct pollfd fds[1 + ZYGOTE_WORKERS_MAX * MEMBERS] = { { ISOLATED_SOCKET_FD, POLLIN, 0 } };
	const unsigned int count = z->count * MEMBERS;

	for (unsigned int i = 0; i < count; i++) /* poll() passes over -1 */
		fds[1 + i] = (struct pollfd){ z->made[i / MEMBERS].pidfd[i % MEMBERS], POLLIN, 0 };
	if (poll(fds, 1 + count, timeout_ms) <= 0)
		return false;
	/* From the last to the first: the last pair takes the place of one that is reaped. */
	for (unsigned int i = count; i-- > 0;)
		if (fds[1 + i].revents)
			reap(z, i / MEMBERS, i % MEMBERS);
	return fds[0].revents;
}

static void end(struct zygote_state *z)
{
	struct pollfd fd = { .events = POLLIN };

	for (unsigned int i = 0; i < z->count * MEMBERS; i++)
		kill_member(&z->made[i / MEMBERS], i % MEMBERS);
	/* So that the profiler can account for them. One that hangs in the kernel stays behind. */
	for (unsigned int i = 0; i < z->count * MEMBERS; i++) {
		fd.fd = z->made[i / MEMBERS].pidfd[i % MEMBERS];
		if (fd.fd >= 0 && poll(&fd, 1, END_MS) > 0)
			wait4(z->made[i / MEMBERS].pid[i % MEMBERS], NULL, WNOHANG, NULL);
	}
	_exit(0);
}

void zygote_child_run(int control, int table_fd, pid_t parent, const char *pod_logs)
{
	static struct zygote_state z;
	const struct isolation i = {
		.name = "pyperf-zygote",
		.parent = parent,
		.privileges = WORKER_PRIVILEGES,
		.fds = { control, table_fd },
		.fd_count = 2,
		.file_bytes = requests_table_max(), /* a limit is inherited, and no child may raise it */
	};
	int err = isolate(&i);

	if (!err)
		err = sandbox_enter(SANDBOX_ZYGOTE);
	if (err)
		_exit(-err);
	z.pod_logs = pod_logs;
	z.landlock = confine_version();
	for (;;)
		if (wait_for_events(&z, -1) && !take_request(&z))
			end(&z);
}
