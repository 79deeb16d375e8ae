/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker.h - a child process that does everything that touches a target's memory or files. A read of a page
 * that never arrives cannot be interrupted; only the process that waits for it can be killed. And a parser
 * that a hostile file has crashed takes nothing but the child with it. ELF files are parsed by a neighbour of
 * the child that may do even less (parser.h).
 */
#ifndef PYPERF_GUARD_WORKER_H
#define PYPERF_GUARD_WORKER_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "elf/source.h"
#include "proc/code_maps.h"
#include "proc/container.h"
#include "python/identify.h"
#include "python/sleepers.h"

#define WORKER_QUEUE	   256 /* requests waiting or under way */
/* How long the child may take for a request: without the time for which it waits for a CPU, and with it. */
#define WORKER_DEADLINE_MS 500
#define WORKER_PATIENCE_MS 5000

enum worker_type {
	WORKER_IDENTIFY = 1, /* identify() and container_read() */
	WORKER_CAPTURE,	     /* capture_remote() of the code object at address */
	WORKER_TABLE,	     /* capture_remote_table() of the bytes object at address */
	WORKER_CONTAINER,    /* container_read() */
	WORKER_MAPS,	     /* code_maps_read() */
	WORKER_FUNCTIONS,    /* functions_read() of the file mapped at address; -ESTALE: it is another */
	WORKER_ROWS,	     /* rows_read() of that file, for the region in which address lies; likewise */
	WORKER_PERF_MAP,     /* perf_map_read(), behind a struct code_file; -EALREADY if that is `file` */
	WORKER_SOURCE,	     /* source_read() of the file mapped at address, as FUNCTIONS */
	WORKER_LOOK,	     /* look_at_threads(); address is that of the runtime */
	WORKER_TASKS,	     /* async_tasks_look(); likewise */
	WORKER_SLEEPERS,     /* sleepers_look(); likewise */
	WORKER_TASK_WAITS,   /* task_waits_look(); likewise */
	WORKER_TYPES
};

/* Plain data: it goes through a socket. */
struct worker_request {
	__u32 type; /* enum worker_type */
	__u32 pid;
	__u64 tag;	   /* the caller's; it comes back in the reply */
	__u64 start_ticks; /* of the process, by procfs_start_ticks(); a later one with that pid is -ESRCH */
	__u64 address;
	__u64 asyncio;		/* of LOOK, TASKS and TASK_WAITS: identity.asyncio */
	struct layout layout; /* of CAPTURE, TABLE, and from LOOK on */
	struct code_file file; /* of FUNCTIONS, ROWS, PERF_MAP and SOURCE */
	__u32 plain;	       /* of FUNCTIONS: without a separate debug file */
	__u32 names;	       /* of SOURCE: function_names_read() in place of source_read() */
	struct source_question source; /* of SOURCE */
	struct sleepers_question sleepers; /* of SLEEPERS */
};

struct worker_reply {
	__u32 type; /* type, pid and tag are those of the request */
	__u32 pid;
	__u64 tag;
	__s32 error; /* 0 or -errno; -ETIMEDOUT past the deadline, -EPIPE if the child died of the request */
	__u32 table_size;
	union {
		struct {
			struct identity identity;
			struct container container;
		};
		struct record_code code; /* process, code and fingerprint are 0 */
	};
	/* Of TABLE and of MAPS and what follows it: table_size bytes, which the receiver frees; else NULL. */
	__u8 *table;
};

struct worker;

/*
 * Forks the process that makes children (zygote.h), and waits until the first child is there. It is to be
 * called before anything is opened that a child must not have, and before any threads are started. The
 * caller must not ignore SIGCHLD, must not wait for children that it does not know, and need not handle
 * SIGCHLD. pod_logs is the kubelet's folder, for pods_new(), and is borrowed. 0, or the -errno of what
 * failed.
 */
int worker_start(struct worker **ret, const char *pod_logs);
void worker_stop(struct worker *worker); /* NULL is fine; requests under way are dropped */

/*
 * A descriptor that is readable (EPOLLIN, level-triggered) when worker_receive() has something to do. It is
 * the same one for the worker's whole life, though children come and go.
 */
int worker_fd(const struct worker *worker);
pid_t worker_pid(const struct worker *worker); /* 0 between two children */
pid_t worker_parser_pid(const struct worker *worker); /* of the child's parser, likewise */
double worker_seconds(const struct worker *worker); /* CPU time of all children and parsers so far */
/* No child can be made any more: every request fails from now on. */
bool worker_is_lost(const struct worker *worker);

/*
 * Queues a request. Each request has one reply, and they come in the same order. 0; -EAGAIN when the queue is
 * full; -EINVAL for an unknown type.
 */
int worker_send(struct worker *worker, const struct worker_request *request);

/* Takes one reply. 0, or -EAGAIN if there is none yet. */
int worker_receive(struct worker *worker, struct worker_reply *ret);

/*
 * Milliseconds until worker_check_deadline() is due, as epoll_wait() wants them; -1 when nothing is under
 * way.
 */
int worker_timeout_ms(const struct worker *worker);

/* Kills a child that is late. Its request then comes back as -ETIMEDOUT. Returns 1 if it did, else 0. */
int worker_check_deadline(struct worker *worker);

/* The child's side (worker_child.c). */
struct worker_child {
	int socket;
	int table_fd;
	int parser; /* the socket to its parser */
	pid_t parent;
	const char *pod_logs;
};

/* Answers requests until the socket closes. It never returns. */
void worker_child_run(const struct worker_child *c) __attribute__((noreturn));

#endif
