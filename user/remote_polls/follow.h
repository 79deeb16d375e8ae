/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.h - the Python processes of the registry, of which each is looked at again and again from outside:
 * which there are, whose turn it is, and when the next look is due. Who looks keeps what it knows of a
 * process behind struct followed.
 */
#ifndef PYPERF_REMOTE_POLLS_FOLLOW_H
#define PYPERF_REMOTE_POLLS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/hash.h"

struct registry;

#define FOLLOW_NEVER (~0ULL) /* a process that is not to be looked at any more */

/* The first member of what is known of a process. */
struct followed {
	__u32 id, pid;	  /* id: struct process.id */
	bool is_there;	  /* in the registry */
	__u64 start_time; /* ns since boot */
	__u64 due;	  /* CLOCK_MONOTONIC, ns; FOLLOW_NEVER */
	__u64 pause;	  /* ns; how long the last one was, 0 = there was none */
	UT_hash_handle hh;
};

struct follow {
	const struct registry *registry;
	size_t size; /* of what is known of a process; all zero at first, behind struct followed */
	void (*release)(struct followed *p); /* what that has besides its own memory; NULL = nothing */
	struct followed *processes;	     /* by their ids */
	__u64 seen;			     /* registry_changes() when it was compared, */
	bool lacks;			     /* ... and there was no memory for a process */
	__u64 next_follow;		     /* it is not compared again before; CLOCK_MONOTONIC, ns */
	__u64 next_look;		     /* no look begins before; CLOCK_MONOTONIC, ns */
};

/* Forgets all processes. */
void follow_end(struct follow *f);

/*
 * Compares with the registry if that has changed, but not all the time: a Python process that is new is
 * followed and due at once, one that has ended is forgotten. One for which there is no memory is new again
 * next time. Returns whether it did.
 */
bool follow_registry(struct follow *f, __u64 now);

/* What is known of this process. NULL if it is not followed, or not any more. */
struct followed *follow_find(const struct follow *f, __u32 id);
/* The process that has been due for longest, or will be due first. NULL if there is none. */
struct followed *follow_next(const struct follow *f);
/* The same if it is due and a look may begin now, else NULL. */
struct followed *follow_due(const struct follow *f, __u64 now);

/*
 * In how many ms there is something to do: to compare with the registry or, if no answer is waited for, to
 * look at a process. -1: nothing, until one of these comes.
 */
int follow_due_ms(const struct follow *f, __u64 now, bool waits);

/* No look begins before this many ns have passed. */
void follow_rest(struct follow *f, __u64 ns);

struct follow_pauses {
	__u64 min, max; /* ns; the first pause, and the longest one */
	__u32 grow_by;	/* each is longer than the last one by that divided by this */
};

/* The process is due again after a pause that is longer than its last one. */
void follow_pause(struct followed *p, const struct follow_pauses *pauses);

#endif
