/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks_trim.h - takes out of a look at tasks (tasks.h) what has turned out not to hold.
 */
#ifndef PYPERF_REMOTE_TASKS_TRIM_H
#define PYPERF_REMOTE_TASKS_TRIM_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Of the tasks, which are struct task with what they have in the other two, those that are gone lose their
 * frames and awaiters: they have gone on. Those that are in no list any more have ended, and are left
 * out, but for those that are said to await others. So are those that a reading found ended, with
 * drop_ended: up to 3.13 they stay in the list for as long as anything holds them. 0 or -ENOMEM.
 */
int tasks_trim(struct buf *tasks, struct buf *frames, struct buf *awaiters, const bool *gone,
	       const bool *ended, bool drop_ended);

#endif
