/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * awaiting.h - who waits for a task that runs: the task that awaits it, the one that awaits that, and so on.
 * Of several that await one task the first is followed, and the others are counted.
 */
#ifndef PYPERF_DUMP_AWAITING_H
#define PYPERF_DUMP_AWAITING_H

#include <stddef.h>
#include <linux/types.h>

#include "dump/dumped.h"

#define AWAITING_MAX 64 /* tasks that are followed */

/* Why it goes on no further. */
enum awaiting_end {
	AWAITING_ROOT = 1, /* nobody awaits the last one */
	AWAITING_CYCLE,	   /* one that was met already does */
	AWAITING_LONG,	   /* there are more than AWAITING_MAX */
};

struct awaiting {
	size_t count;
	enum awaiting_end end;
	struct {
		const struct task *task;
		__u32 others; /* that await the same one */
	} by[AWAITING_MAX];
};

/* The tasks that await the task at that address. None if dumped_look_at_tasks() has not found it. */
void awaiting_find(const struct dumped *d, __u64 address, struct awaiting *ret);

#endif
