/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rulings.h - what has been found out so far about each process that the kernel side asked about, and when it
 * is to ask again. Times are ns of CLOCK_MONOTONIC, as bpf_ktime_get_ns().
 */
#ifndef PYPERF_TARGETS_RULINGS_H
#define PYPERF_TARGETS_RULINGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/identify.h"

struct ruling {
	__u32 pid;
	__u32 id; /* struct process.id it was given */
	__u64 start_time, exec_id;
	enum process_state state; /* 0 = nothing yet */
	__u32 refusals;
	__u64 unproved_since; /* 0 = never asked for a proof in vain */
};

struct rulings;

int rulings_new(struct rulings **ret);
void rulings_free(struct rulings *r); /* NULL is fine */

/* Adds an empty one where there is none, and after an exec. NULL when memory is short. */
struct ruling *rulings_get(struct rulings *r, __u32 pid, __u64 start_time, __u64 exec_id);
/* NULL if there is none. Valid until it is forgotten. */
struct ruling *rulings_find(const struct rulings *r, __u32 pid);
void rulings_forget(struct rulings *r, __u32 pid);

/*
 * When to ask again about a process that is not Python, but may load it yet: once it has lived as long again,
 * after 20 ms at least and 30 s at most. So that is how long an interpreter can stay unseen that is loaded
 * late.
 */
__u64 ruling_check_again(__u64 start_time);
/* About one that was refused, as what contradicted the layout may be over: after 20 ms, 40 ms, ... 30 s. */
__u64 ruling_check_refused(struct ruling *v);
/*
 * About one whose layout nothing speaks for yet: after 2 ms at least, then a quarter of the time that it has
 * been so.
 */
__u64 ruling_check_unproved(const struct ruling *v);

/*
 * Whether a layout must not be used yet. One that nothing in the process speaks for or against is used after
 * 1 s if it is known for this very release.
 */
bool ruling_waits_for_proof(struct ruling *v, const struct identity *i);

#endif
