/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker_life.h - the worker's child that there is at the moment: the zygote makes it, it is watched, and it
 * is given up when it is late or has died. What it is asked is in worker.c.
 */
#ifndef PYPERF_GUARD_WORKER_LIFE_H
#define PYPERF_GUARD_WORKER_LIFE_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "guard/zygote.h"

struct worker_life {
	int epoll; /* has the child's socket and the zygote's */
	struct zygote zygote;
	bool lost;	      /* the zygote has ended, and with it every child */
	int socket;	      /* to the child; -1 = there is none */
	__u32 serial;	      /* of the last child that was asked for */
	pid_t child;	      /* 0 = none, or it has not begun yet */
	pid_t parser;	      /* the child's parser; 0 while child is */
	int child_fd;	      /* the child's pidfd; -1 while child is 0 */
	unsigned int made;    /* children that were asked for and have not ended, killed ones included */
	double ended_seconds; /* CPU time of those that have */
};

/* From now on life.epoll is readable when fd is. 0 or -errno. */
int worker_life_watch(const struct worker_life *l, int fd);

/* Takes what the zygote says. A child says there that it has begun before it answers anything. */
void worker_life_take_events(struct worker_life *l);

/* Asks for a new child. It can be written to at once. 0; -EBUSY when too many cannot be ended; or -errno. */
int worker_life_start_child(struct worker_life *l);

/* Kills it, if there is one: the next one is another process. */
void worker_life_end_child(struct worker_life *l);

/* Waits for the first child, so that what keeps it from being made is known. 0 or -errno. */
int worker_life_wait_for_first(struct worker_life *l);

#endif
