/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tick_times.h - how much CPU time a tick stands for, by thread. Where waits are measured, the time on a CPU
 * is to be what is left between them. So the ticks of a thread share what the kernel's account says of it
 * (bpf/events/account.h) in equal parts.
 */
#ifndef PYPERF_TREE_TICK_TIMES_H
#define PYPERF_TREE_TICK_TIMES_H

#include <linux/types.h>

struct harvest_inputs;
struct harvest_span;

/* All 0 at first. */
struct tick_times {
	struct tick_time {
		__u64 ticks, ns;
	} *owners;  /* by the owner of a root */
	__u32 next; /* the node that the search goes on with */
};

/*
 * Finds what each owner has in the span. 0, -ENOMEM, or -EAGAIN: it has paused (span->pause_ns), and is to be
 * called again.
 */
int tick_times_find(struct tick_times *t, const struct harvest_inputs *inputs,
		    const struct harvest_span *span);
void tick_times_free(struct tick_times *t);

/* What so many ticks of an owner stand for, in ns; ticks_ns if there is no account of it. */
__u64 tick_times_ns(const struct tick_times *t, __u32 owner, __u64 ticks, __u64 ticks_ns);

#endif
