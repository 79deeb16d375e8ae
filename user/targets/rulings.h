/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rulings.h - the decisions so far about each process that the kernel side asked about. Times are ns of
 * CLOCK_MONOTONIC, as bpf_ktime_get_ns() gives them.
 */
#ifndef PYPERF_TARGETS_RULINGS_H
#define PYPERF_TARGETS_RULINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct ruling {
	__u32 pid;
	__u32 id; /* struct process.id that it was given */
	__u64 start_time, exec_id;
	enum process_state state; /* 0 = nothing yet */
	__u32 looks;	      /* at which it was no Python, up to the number from which pauses grow no more */
	__u32 refusals;	      /* how often it was refused, up to the number from which pauses grow no more */
	__u64 check_after;    /* as the kernel side was told it */
	__u64 no_room_until;  /* the table was full; before that it is not tried again */
	__u64 unproved_since; /* when a proof was first looked for in vain; 0 = never */
};

struct rulings;

int rulings_new(struct rulings **ret);
void rulings_free(struct rulings *r); /* NULL is fine */

/*
 * The ruling on this process image. It is empty if there was none yet, or if the one of this pid was on an
 * earlier image. NULL when memory is short.
 */
struct ruling *rulings_get(struct rulings *r, __u32 pid, __u64 start_time, __u64 exec_id);
/* The ruling on a pid, valid until it is forgotten. NULL if there is none. */
struct ruling *rulings_find(const struct rulings *r, __u32 pid);
void rulings_forget(struct rulings *r, __u32 pid);
size_t rulings_count(const struct rulings *r);
/* Forgets those of which lives() says false. */
void rulings_keep(struct rulings *r, bool (*lives)(void *context, const struct ruling *ruling),
		  void *context);

#endif
