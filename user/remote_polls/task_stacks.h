/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_stacks.h - from a look at a process's asyncio tasks to stacks with time: each task that waits stands
 * for the time since the look before. Tasks with the same stack are given to the kernel side as one.
 */
#ifndef PYPERF_REMOTE_POLLS_TASK_STACKS_H
#define PYPERF_REMOTE_POLLS_TASK_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "remote/task_waits.h"

struct asleep_programs;
struct captures;

/* Where the tasks of a process waited at its last look. All 0: there was none. */
struct task_places {
	struct task_place *slots; /* by the address of the task; open addressing */
	size_t slot_count;	  /* a power of two */
};

/* Tasks with one stack. */
struct task_group {
	__u64 hash; /* of the stack, its thread and the outcome; 0 = free */
	__u64 ns;
	__u32 task; /* one of them */
	__u32 outcome;
};

/* The work on the answer to one look. All 0: there is nothing to do. */
struct task_stacks {
	__u8 *answer;
	const struct task_waits *head;
	const struct task_wait *tasks;
	const struct seen_code *codes;
	const struct seen_frame *frames;
	struct asleep of; /* whose they are: process, pid */
	__u64 ns;	  /* since the look before */
	__u32 next_task;  /* that is to be put into a group */
	struct task_places before, now;
	struct task_group *groups;
	size_t group_slots, next_group; /* slots: a power of two */
	__u32 named_tid;		/* the thread whose name is in of.comm */
};

/*
 * Takes over the answer, of size bytes, and what is in *before, which is all 0 then. ns: the time since the
 * look before; 0 = there was none, and then only the places are kept. 0, -EBADMSG or -ENOMEM, and then only
 * the answer is still the caller's.
 */
int task_stacks_begin(struct task_stacks *s, __u8 *answer, size_t size, const struct asleep *of, __u64 ns,
		      struct task_places *before);

/* Goes on until the time end, CLOCK_MONOTONIC in ns. Returns true when all is done. */
bool task_stacks_turn(struct task_stacks *s, const struct asleep_programs *programs,
		      struct captures *captures, __u64 end);

/* When all is done: hands out the places of this look, and frees the rest. */
void task_stacks_end(struct task_stacks *s, struct task_places *ret_places);
void task_places_free(struct task_places *p);

#endif
