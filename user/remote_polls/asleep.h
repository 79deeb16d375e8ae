/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asleep.h - threads that have slept since before their stack could be taken. The kernel side lists them, the
 * worker looks at them from outside, and their stacks go back to the kernel side, which puts them below the
 * waits that still go on.
 */
#ifndef PYPERF_REMOTE_POLLS_ASLEEP_H
#define PYPERF_REMOTE_POLLS_ASLEEP_H

struct asleep_targets;
struct captures;
struct kernel;
struct loop;
struct questions;

/* All borrowed. 0 or -ENOMEM. */
int asleep_targets_new(struct asleep_targets **ret, struct kernel *kernel, struct questions *questions,
		       struct captures *captures);
void asleep_targets_free(struct asleep_targets *t); /* NULL is fine */

/*
 * Adds the row that does it, for some ms of a turn at most: once a second such threads are listed, and then
 * looked at some at a time. The looks take at most a tenth of the time. 0 or -errno of loop_watch().
 */
int asleep_watch(struct asleep_targets *t, struct loop *loop);

#endif
