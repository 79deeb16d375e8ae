/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zygote.h - the process that makes workers, and with each one its parser (parser.h). It is forked before the
 * profiler opens anything, so that a worker, however late it is made, has nothing of the profiler's: no BPF
 * map, no socket of a client. It has the capabilities that the profiler itself then gives up, and touches
 * nothing foreign: it only forks.
 */
#ifndef PYPERF_GUARD_ZYGOTE_H
#define PYPERF_GUARD_ZYGOTE_H

#include <sys/types.h>
#include <linux/types.h>

#define ZYGOTE_WORKERS_MAX 8 /* at a time; those count that were killed and are still in the kernel */

/* --- the profiler's side (zygote.c) --- */

struct zygote {
	pid_t pid;   /* 0 = it has ended, and been waited for */
	int control; /* the socket to it; readable when zygote_next() has something */
};

enum zygote_event_type {
	ZYGOTE_STARTED = 1, /* by the worker itself, before it does anything else */
	ZYGOTE_ENDED,	    /* and its parser, too; or could not be made */
};

/* Plain data: it goes through a socket. */
struct zygote_event {
	__u32 type;   /* enum zygote_event_type */
	__u32 serial; /* of zygote_ask() */
	__s32 pid;    /* 0 if it could not be made */
	__s32 parser; /* pid of its parser; of ZYGOTE_STARTED */
	__u64 cpu_ns; /* CPU time that both used; of ZYGOTE_ENDED */
};

/*
 * Forks it. table_fd and pod_logs are what its workers get (worker.h). 0, or the -errno of what failed here;
 * what fails there, zygote_end() says.
 */
int zygote_start(struct zygote *z, int table_fd, const char *pod_logs);

/*
 * Asks for a worker that answers at the other end of this socket, of which the caller may close its copy.
 * Serial is a number of the caller's. There will be ZYGOTE_ENDED, and before that ZYGOTE_STARTED if it could
 * be made. 0 or -errno: EPIPE when the zygote is gone.
 */
int zygote_ask(const struct zygote *z, __u32 serial, int socket);

/*
 * The next event, without waiting. *ret_pidfd: of a worker that has started, which the caller closes, else
 * -1. 0; -EAGAIN if there is none; -EPIPE or another -errno when the zygote is gone.
 */
int zygote_next(const struct zygote *z, struct zygote_event *ret, int *ret_pidfd);

/*
 * Ends it and its workers, and waits for it, half a second at most before it is killed. 0 or the -errno with
 * which it ended by itself. May be called twice.
 */
int zygote_end(struct zygote *z);

/* --- its own side (zygote_child.c) --- */

struct zygote_request {
	__u32 serial;
};

/* Makes workers until the socket closes. It never returns; the exit code is the errno of what failed. */
void zygote_child_run(int control, int table_fd, pid_t parent, const char *pod_logs)
	__attribute__((noreturn));

#endif
