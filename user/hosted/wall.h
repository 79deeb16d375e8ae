/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wall.h - all time of a thread (--event wall). What it has slept, and waited for a CPU, is known exactly by
 * the kernel's account of it. Where, looks say: one that finds it asleep at a new place claims the time that
 * looks stand for, and whoever still sleeps where it did gets just what has passed. Claims are larger or
 * smaller by a little when more or less time has passed than was claimed. To give a look all time that is
 * there would be wrong: a short sleep behind a long one would have that of both. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_WALL_H
#define PYPERF_HOSTED_WALL_H

#include <stdbool.h>
#include <linux/types.h>

#include "hosted/threads.h"

struct looked_thread;

struct thread_wall {
	__u64 at;		  /* clock_ns() up to when its time is known; 0 = it was not looked at */
	struct thread_runs until; /* its account then */
	__s64 asleep, queued; /* ns that have no stack yet; less than 0: more was claimed than has passed */
};

/* Each look stands for so many ns. */
void wall_open(__u64 period_ns);
/* Until then it has not run since the last look. */
void wall_was_quiet(struct looked_thread *t, __u64 until);
/* At a look: r is its account now. */
void wall_pass(struct looked_thread *t, const struct thread_runs *r, __u64 now);
/* The same, and it has not run since the last look. */
void wall_rests(struct looked_thread *t, const struct thread_runs *r, __u64 now);
/* It has run, and has no CPU now. r was read before that was found out. The look stands for so many. */
void wall_found_off(struct looked_thread *t, const struct thread_runs *r, unsigned int weight);
/* It has a CPU, of which it is held off. */
void wall_found_on(struct looked_thread *t);
/* It has ended: what has no stack gets none. */
void wall_end(struct looked_thread *t);

#endif
