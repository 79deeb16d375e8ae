/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asleep.h - threads that sleep and whose stack is not known, since they have slept from before the programs
 * were there, or while the tree was renewed: the kernel side lists them, user space looks at their stacks
 * from outside, and gives these back. Stacks of asyncio's tasks are given in the same way, with their time.
 */
#ifndef PYPERF_BPF_ABI_ASLEEP_H
#define PYPERF_BPF_ABI_ASLEEP_H

#include "bpf/abi/types.h"

#define OUTSIDE_FRAMES 4096 /* of a stack, at most; a power of two */

/* A thread that sleeps. It and its wait, as list_asleep writes them and add_stack takes them back. */
struct asleep {
	__u32 pid, tid;	  /* in the initial PID namespace */
	__u64 start_time; /* of the thread: task->start_boottime, ns */
	__u64 begin;	  /* of the wait; with start_time and tid no other wait has it */
	__u32 process;	  /* struct process.id */
	__s32 syscall;	  /* that it is in; negative: the kernel has it without one */
	__u32 iowait;	  /* the kernel waits for a disk */
	__u32 pad;
	char comm[16];
};

struct outside_frame {
	__u64 address;	   /* of its code object; 0 = the frame is `mark` */
	__u64 fingerprint; /* digest_code() of it */
	__u32 instr;	   /* node_instr() */
	__u32 code;	   /* add_stack's answer: its number; 0 = there was no room */
	__u32 unnamed;	   /* add_stack's answer: nobody has sent its names yet */
	__u32 mark;	   /* in place of a code object: CODE_WAITS plus an enum wait_cause */
};

enum outside_result {
	OUTSIDE_TAKEN = 1,
	OUTSIDE_GONE, /* the thread has run since, or has ended */
};

/* What the programs add_stack and add_tasks are given, in a table of one entry. */
struct outside_stack {
	struct asleep asleep;
	__u32 outcome; /* enum outcome of the look: WHOLE or one with a marker */
	__u32 depth;   /* frames */
	__u32 result;  /* add_stack's answer: enum outside_result */
	__u32 looks;   /* for add_tasks: so many looks at processes end with this stack, */
	__u32 none;    /* ... so many processes were found to have no tasks to look at, */
	__u32 pad;
	__u64 ns; /* ... and the time that tasks were there; 0 = there is no stack */
	struct outside_frame frames[OUTSIDE_FRAMES]; /* from the root on */
};

#endif
