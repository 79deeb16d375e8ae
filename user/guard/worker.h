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
#include "guard/requests.h"
#include "proc/container.h"
#include "python/identify.h"

#define WORKER_QUEUE	   512 /* to IDENTIFY that wait, and others; one user has half of them at most */
/* How long the child may take for a request: without the time for which it waits for a CPU, and with it. */
#define WORKER_DEADLINE_MS 500
#define WORKER_PATIENCE_MS 20000

/* Only the first reply_size() bytes (reply.h) come from the child; the others are 0. */
struct worker_reply {
	__u32 type; /* type, pid and tag are those of the request */
	__u32 pid;
	__u64 tag;
	__s32 error; /* 0 or -errno; -ETIMEDOUT past the deadline, -EPIPE if the child died of the request */
	__u32 table_size;
	__u64 cpu_ns; /* CPU time that the child took for it; 0 = the child has not answered */
	union {
		struct {
			struct container container;
			struct identity identity;
		};
		struct record_code code; /* process, code and fingerprint are 0 */
	};
	/* If the answer is a table: table_size bytes, which the receiver frees; else NULL. */
	__u8 *table;
};

struct worker;

/* What a reply that came so many ns after its request has cost: never more than that, whatever it says. */
__u64 worker_reply_cost(const struct worker_reply *reply, __u64 took_ns);

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
pid_t worker_pid(const struct worker *worker);	      /* 0 between two children */
pid_t worker_parser_pid(const struct worker *worker); /* of the child's parser; 0 between two children */
double worker_seconds(const struct worker *worker);   /* CPU time of all children and parsers so far */
/* No child can be made any more: every request fails from now on. */
bool worker_is_lost(const struct worker *worker);

/*
 * Queues a copy of a request, of which only the bytes of its kind are looked at. Each request has one reply,
 * but for IDENTIFY that is the first one (requests.h) and that a later one displaces, of the same process
 * or, where its user has no more places, of another one, unless it is patient. They come as users and
 * processes have their turns (fair_queue.h). Of one process that to IDENTIFY comes first, the others in the
 * order of the requests. 0; -EAGAIN: for now the process or its user may not have more requests wait; -EINVAL
 * for an unknown type; -ENOMEM.
 */
int worker_send(struct worker *worker, const struct worker_request *request);
/* The tag of the request that the last one has displaced, 0 = none. It is to be asked for after each. */
__u64 worker_take_dropped(struct worker *worker);

/* Takes one reply. 0, or -EAGAIN if there is none yet. */
int worker_receive(struct worker *worker, struct worker_reply *ret);

/*
 * Milliseconds until worker_check_deadline() is due, as epoll_wait() wants them; -1 when nothing waits or is
 * under way.
 */
int worker_timeout_ms(const struct worker *worker);

/*
 * Hands the child a request of a user who had to wait. Kills one that is late; its request then comes back as
 * -ETIMEDOUT. Returns 1 if it did, else 0.
 */
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
