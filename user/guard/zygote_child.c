// SPDX-License-Identifier: GPL-2.0-only
/*
 * zygote_child.c - the zygote's own side of zygote.h. It waits for requests and for the end of its workers,
 * and does not trust the profiler with more than that: what it reads from there is a number and a socket.
 */
#include "guard/zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guard/isolate.h"
#include "guard/message.h"
#include "guard/sandbox.h"
#include "guard/worker.h"

#define END_MS 100 /* for workers that were killed to be gone */

struct made {
	pid_t pid;
	int pidfd;
	__u32 serial;
};

struct zygote_state {
	const char *pod_logs;
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
static void become_worker(const struct zygote_state *z, __u32 serial, int socket, pid_t zygote)
{
	const struct zygote_event e = { .type = ZYGOTE_STARTED, .serial = serial, .pid = getpid() };
	int pidfd = open_pidfd(e.pid);

	if (pidfd < 0)
		_exit(1);
	tell(&e, pidfd);
	worker_child_run(socket, ISOLATED_TABLE_FD, zygote, z->pod_logs);
}

static void make_worker(struct zygote_state *z, __u32 serial, int socket)
{
	pid_t zygote = getpid(), pid;
	int pidfd;

	if (z->count == ZYGOTE_WORKERS_MAX) {
		tell_not_made(serial);
		return;
	}
	pid = fork();
	if (pid < 0) {
		tell_not_made(serial);
		return;
	}
	if (!pid)
		become_worker(z, serial, socket, zygote);
	pidfd = open_pidfd(pid);
	if (pidfd < 0) /* its end could not be waited for; it is killed with this process */
		_exit(-pidfd);
	z->made[z->count++] = (struct made){ pid, pidfd, serial };
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

/* Waits for a worker that has ended. */
static void reap(struct zygote_state *z, unsigned int i)
{
	struct made *m = &z->made[i];
	struct zygote_event e = { .type = ZYGOTE_ENDED, .serial = m->serial, .pid = m->pid };
	struct rusage usage = {};

	if (wait4(m->pid, NULL, WNOHANG, &usage) != m->pid)
		return;
	e.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
	close(m->pidfd);
	z->made[i] = z->made[--z->count];
	tell(&e, -1);
}

/* Waits until there is something to do, at most so long, and reaps. Returns whether a request is there. */
static bool wait_for_events(struct zygote_state *z, int timeout_ms)
{
	struct pollfd fds[1 + ZYGOTE_WORKERS_MAX] = { { .fd = ISOLATED_SOCKET_FD, .events = POLLIN } };

	for (unsigned int i = 0; i < z->count; i++)
		fds[1 + i] = (struct pollfd){ .fd = z->made[i].pidfd, .events = POLLIN };
	if (poll(fds, 1 + z->count, timeout_ms) <= 0)
		return false;
	/* From the last to the first: the last one takes the place of one that is reaped. */
	for (unsigned int i = z->count; i-- > 0;)
		if (fds[1 + i].revents)
			reap(z, i);
	return fds[0].revents;
}

static void end(struct zygote_state *z)
{
	struct pollfd fd = { .events = POLLIN };

	for (unsigned int i = 0; i < z->count; i++)
		syscall(SYS_pidfd_send_signal, z->made[i].pidfd, SIGKILL, NULL, 0);
	/* So that the profiler can account for them. One that hangs in the kernel stays behind. */
	for (unsigned int i = 0; i < z->count; i++) {
		fd.fd = z->made[i].pidfd;
		if (poll(&fd, 1, END_MS) > 0)
			wait4(z->made[i].pid, NULL, WNOHANG, NULL);
	}
	_exit(0);
}

void zygote_child_run(int control, int table_fd, pid_t parent, const char *pod_logs)
{
	static struct zygote_state z;
	int err = isolate(control, table_fd, parent, "pyperf-zygote");

	if (!err)
		err = sandbox_enter(SANDBOX_ZYGOTE);
	if (err)
		_exit(-err);
	z.pod_logs = pod_logs;
	for (;;)
		if (wait_for_events(&z, -1) && !take_request(&z))
			end(&z);
}
