/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait.h - what is remembered of a thread that waits (events/wait.h).
 */
#ifndef PYPERF_BPF_DATA_WAIT_H
#define PYPERF_BPF_DATA_WAIT_H

#include "bpf/abi/trace.h"
#include "bpf/abi/types.h"
#include "bpf/data/budget.h"

/* What a wait can be a part of. */
enum wait_part {
	WAIT_ASLEEP,
	WAIT_QUEUED,
	WAIT_WANTS_GIL,
	WAIT_PARTS
};

/* What the stack of a thread that waits led to. */
struct wait_stack {
	__u32 generation; /* of the tree, to which the nodes belong */
	__u32 node;	  /* what is counted while it sleeps; 0 = it is not in the profile */
	__u32 queue_node; /* ... and while it could run, but has no CPU */
	__u8 outcome, queue_outcome;
	__u16 weight; /* so many waits this one stands for */
};

/* Whose thread it was when it got its entry. */
struct wait_user {
	__u64 owner;   /* task_user() */
	__u32 process; /* its tgid */
	__u32 pad;
};

/* Who has written a struct wait_stack. */
enum wait_writer {
	WAIT_OWN,     /* the thread itself, when it left its CPU, */
	WAIT_LISTED,  /* ... or those who found it asleep (events/asleep.h); they need two: */
	WAIT_LISTED2, /* ... while one of them is counted the other is written */
	WAIT_WRITERS
};

/*
 * How time for which no stack was taken gets below those that were taken, by what they stand for
 * (events/wait.h).
 */
struct wait_shares {
	__s64 balance; /* ns of such time, to be counted yet; negative: claimed, and still to come */
	__u64 heir;    /* heir_make(): who has claimed that */
	__u64 claim;   /* ns that are claimed at a time, a moving average */
};

/* With musl: whether a futex that is on its thread's stack is the GIL's. */
enum gil_on_stack {
	GIL_NOT_SEEN,
	GIL_NOT_ON_STACK,
	GIL_ON_STACK,
};

/* What the last check for the GIL has found out of its thread (events/gil.h). */
struct gil_known {
	__u64 address;	/* of the GIL that the thread needs; 0 = not known */
	__u64 waiter;	/* its PyThreadState */
	__u32 cost;	/* of checks, as struct pace has it */
	__u32 on_stack; /* enum gil_on_stack: of the last futex that was on its stack */
};

/* What is remembered of a thread's wait (events/wait.h), and of the thread from one wait to the next. */
struct wait {
	__u64 since; /* up to when it is counted, as since_make() has it; 0 = the thread runs */
	__u64 begin; /* bpf_ktime_get_ns() when it left the CPU, or was found without one */
	__u64 began; /* task->start_boottime, ns */
	struct wait_stack stack[WAIT_WRITERS]; /* since_writer() says which one counts */
	/*
	 * Of its waits so far, ns, moving ones: of those in which it gave up its CPU, and of those in which
	 * the CPU was taken from it. Bounded, so that one long wait is enough to tell.
	 */
	__u32 average[2];
	struct wait_shares shares[WAIT_PARTS];
	struct pace pace;
	__u32 process; /* struct process.id */
	__u32 tid;
	char comm[16];
	__u32 task;	/* wait_task() */
	__u8 for_gil;	/* 1: it waits for the GIL */
	__u8 unmet;	/* lists of all tasks since one met it (events/asleep.h) */
	__u8 preempted; /* 1: its CPU was taken from it, or it has not had one yet */
	__u8 pad;
	struct trace_ids ids; /* with --trace: of the span that was current when it began to wait */
	__u64 watched;	      /* processes_stamp when its waits were found to be of interest */
	struct gil_known gil;
} __attribute__((aligned(64)));

#endif
