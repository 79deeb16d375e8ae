/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * coroutines.h - from a coroutine to what it awaits: coroutines, generators and async generators, from the
 * outermost to the one that waits, or from the one that runs. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_COROUTINES_H
#define PYPERF_REMOTE_COROUTINES_H

#include <stdbool.h>
#include <linux/types.h>

#include "remote/task_reader.h"

#define CHAIN_MAX 512 /* coroutines of one task, or frames of one that runs; the rest is cut off */

struct chain_frame {
	__u64 address; /* of the frame */
	__u64 code;
	__u64 instr;
	__u64 stack; /* of a coroutine: the end of what it has on its stack */
};

/* How a chain ends. */
enum chain_end {
	CHAIN_WAITS = 1, /* at what is no coroutine: a future, or an object that has its own __await__() */
	CHAIN_RUNS,	 /* at a coroutine that runs, or has called one that does */
	CHAIN_CREATED,	 /* the first has not begun */
	CHAIN_ENDED,	 /* the first has ended, or there is none: no frames */
	CHAIN_LONG,	 /* there is more than CHAIN_MAX, or the coroutines lead back to one of their own */
};

struct chain {
	__u32 end; /* enum chain_end */
	__u32 count;
	struct chain_frame frames[CHAIN_MAX]; /* outermost first */
};

/*
 * Reads a coroutine and the chain of those that it awaits. 0, and two such calls with equal results say that
 * it was so at a moment between them; -EBADMSG if the object is no coroutine; or an error as of
 * task_reader_read(). *ret is to be compared by its count and its frames.
 */
int chain_read(struct task_reader *r, __u64 coroutine, struct chain *ret);

/*
 * The frames of a thread from the coroutine on, if it runs there: the newest one comes last. -EBADMSG if the
 * coroutine is not among the CHAIN_MAX newest.
 */
int chain_read_running(struct task_reader *r, __u64 tstate, __u64 coroutine, struct chain *ret);

bool chain_equal(const struct chain *a, const struct chain *b);

/* node_instr() of a frame. */
__u32 chain_instruction(const struct task_reader *r, const struct chain_frame *f);

#endif
