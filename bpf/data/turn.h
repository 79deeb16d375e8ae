/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn.h - what is remembered of a thread that runs an event loop (events/loop_turn.h).
 */
#ifndef PYPERF_BPF_DATA_TURN_H
#define PYPERF_BPF_DATA_TURN_H

#include "bpf/abi/types.h"

#define TURN_PARTS 16

/* What it is to a thread's event loop that the thread leaves its CPU. */
enum turn_role {
	TURN_NONE, /* no turn goes on */
	TURN_PART, /* the turn goes on */
	TURN_END,  /* the loop waits for events: the turn is over */
};

/* Time of a turn that belongs to one node. */
struct turn_part {
	__u32 what;  /* part_make(); 0 = there is no such part, nor one behind it */
	__u32 units; /* of TURN_UNIT_SHIFT */
};

#define TURN_UNIT_SHIFT 10 /* log2 of the ns of a unit: a part has room for 73 minutes */

/* Stands beside the thread's entry in the table of threads that wait, under the same number. */
struct turn {
	__u64 key;	     /* wait_key() of the thread that it is of */
	__u64 begin;	     /* CLOCK_MONOTONIC in ns when the loop woke up; 0 = no turn goes on */
	__u64 left;	     /* ... when the thread left its CPU, in the middle of the turn; 0 = it runs */
	__u64 stack_pointer; /* with which the loop's own wait for events was called */
	__u64 ticked;	     /* units of the parts that are ticks, ... */
	__u64 waited;	     /* ... of those that are waits, ... */
	__u64 lost;	     /* ... and of those that are known no more, as the tree was emptied */
	__u64 shared;	     /* while it is counted: units that ticks share, */
	__u64 unplaced;	     /* ... and ns of it that are not counted yet */
	__u64 caller;	     /* mark of a frame that called the loop, or is part of it; 0 = not known */
	__u64 called;	     /* mark of the frame that the loop has called, as it was met last; 0 = none */
	__u64 first, last;   /* ns when that was met in this turn: for the first time since it was another */
	__u32 depth;	     /* frames of the stack with which the loop waits for events; 0 = not known */
	__u32 changes;	     /* times that `called` was another one, in what is not counted yet */
	__u32 cause;	     /* enum wait_cause: what is counted of it is, ... */
	__u32 counted;	     /* ... and whether a part of this turn has been */
	__u64 list;	     /* ready_list() of the loop's epoll descriptor; 0 = not known */
	__u32 begun_with;    /* descriptors that were ready when the turn began, ... */
	__u32 ready;	     /* ... and those that came on top of them, by what was seen of the turn */
	__u32 generation;    /* of the tree, to which the nodes belong */
	__u32 what;	     /* the part that it left its CPU in, ... */
	__u32 stack_generation; /* ... and the generation of its node */
	__u32 leaves;		/* times that the thread left its CPU in this turn */
	__u32 deeper;		/* waits in a row with a lower stack pointer */
	__u32 polls;		/* the thread sleeps in the loop's own wait for events */
	__u32 woke;		/* it slept there, and has not come back from that system call */
	struct turn_part parts[TURN_PARTS];
} __attribute__((aligned(64)));

#endif
