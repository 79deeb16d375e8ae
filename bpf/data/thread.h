/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - what is remembered of a thread between samples: its PyThreadState, where it stands in the tree,
 * its code objects and its last stack.
 */
#ifndef PYPERF_BPF_DATA_THREAD_H
#define PYPERF_BPF_DATA_THREAD_H

#include "bpf/abi/events.h"
#include "bpf/data/cache.h"
#include "bpf/data/code.h"

/* Where a thread, or its process, stands in the tree for one kind of event. */
struct root {
	__u64 comm_seen; /* jiffies at which the owner's comm was last copied */
	__u32 node;	 /* 0 = none yet */
	__u32 of_thread; /* 1 = the thread's own, 0 = its process's */
};

/* What is remembered of a thread between samples. */
struct thread {
	__u64 start_time;
	__u64 tstate;	  /* its PyThreadState, proved on every use; 0 = not found */
	__u64 interp;	  /* the interpreter that it is of */
	__u64 tss;	  /* address of its gilstate TSS slot; 0 = unknown */
	__u64 searched;	  /* jiffies of the last search for its thread state */
	__u64 used;	  /* jiffies of the last sample */
	__u32 tid;	  /* thread_key(): of the thread, and the kind of event; 0 = this slot is free */
	__u32 busy;	  /* a sample is using it */
	__u32 process;	  /* struct process.id that its roots belong to */
	__u32 misses;	  /* searches in a row that found nothing */
	__u32 is_of_c;	  /* ... and the last one has seen all thread states: none is this thread's */
	__u32 generation; /* of the tree, to which its roots and the nodes in cache belong */
	__u32 reading;	  /* goes up when cache is begun anew: then all code objects are to be read again */
	struct root roots[EVENT_KINDS];
	struct known_code known[KNOWN_CODES] __attribute__((aligned(64)));
	struct cache cache;
} __attribute__((aligned(64)));

#endif
