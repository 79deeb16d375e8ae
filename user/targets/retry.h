/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * retry.h - from when on the kernel side may ask again about a process, and until when a proof of its layout
 * is waited for. Times are ns of CLOCK_MONOTONIC, as bpf_ktime_get_ns() gives them.
 */
#ifndef PYPERF_TARGETS_RETRY_H
#define PYPERF_TARGETS_RETRY_H

#include <stdbool.h>
#include <linux/types.h>

struct identity;
struct ruling;

/*
 * When to ask again about a process that is not Python, but may load it yet. The pause is as long as the
 * process has lived, but 20 ms at least and 30 s at most. An interpreter that is loaded late stays unseen for
 * that long. The first pauses are 20 and 200 ms and 2 s at most: an old process may just have become another
 * program, as scripts do that wait for something and then exec an interpreter.
 */
__u64 retry_no_python(struct ruling *v, __u64 start_time);
/*
 * When to ask again about a process that was refused: what contradicted the layout may be over. The pause is
 * 20 ms at first, is doubled each time, and 30 s at most.
 */
__u64 retry_refused(struct ruling *v);
/* When to ask again about a process of which only a part of its files has been read yet: after 20 ms. */
__u64 retry_rest(void);
/*
 * When to ask again about a process in which nothing speaks for its layout yet. The pause is a quarter of the
 * time for which that has been so, but 2 ms at least.
 */
__u64 retry_unproved(const struct ruling *v);

/*
 * Whether a layout must not be used yet. When nothing in the process has spoken for it or against it for 1 s,
 * it is used, provided that it is the one known for this very release.
 */
bool retry_waits_for_proof(struct ruling *v, const struct identity *i);

#endif
