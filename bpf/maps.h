/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.h - every map, its size and why. Sizes written as 1 are set by user/kern/kernel.c before loading.
 * Nothing here is a locked hash map updated from the sampler: it only fills flat arrays by compare-and-swap.
 */
#ifndef PYPERF_BPF_MAPS_H
#define PYPERF_BPF_MAPS_H

#include "bpf/ids.h"
#include "bpf/python/cache.h"
#include "bpf/python/walk.h"

#define FLAT_TABLE(name, record)                                                                              \
	struct {                                                                                             \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                            \
		__uint(map_flags, BPF_F_MMAPABLE);                                                           \
		__uint(max_entries, 1);                                                                      \
		__type(key, __u32);                                                                          \
		__type(value, record);                                                                       \
	} name SEC(".maps")

FLAT_TABLE(nodes, struct node);
FLAT_TABLE(codes, struct code);
FLAT_TABLE(owners, struct owner);
FLAT_TABLE(stats, struct cpu_stats); /* one for each possible CPU */

/* Written by user space, by the fork and exec handlers, never by the sampler. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32); /* tgid */
	__type(value, struct process);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LAYOUTS_MAX);
	__type(key, __u32);
	__type(value, struct layout);
} layouts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} records SEC(".maps");

/* A code object that the thread was seen in, to be found without the large tables. */
struct known_code {
	__u64 address;
	__u64 epoch; /* valid while this is the epoch */
	__u32 process;
	__u32 index;
};

#define KNOWN_CODES 64

/* What is remembered of a thread between samples. Four ways a set; the least recently sampled leaves. */
struct thread {
	__u64 start_time;
	__u64 tstate;	 /* its PyThreadState, proved on every use; 0 = not found */
	__u64 tss;	 /* address of its gilstate TSS slot; 0 = unknown */
	__u64 searched;	 /* jiffies of the last search */
	__u64 used;	 /* jiffies of the last sample */
	__u64 comm_seen; /* jiffies at which the owner's comm was last copied */
	__u32 tid;
	__u32 busy;
	__u32 process; /* struct process.id that root belongs to */
	__u32 root;    /* node that stands for this thread (or process) in the tree; 0 = none yet */
	__u32 owner;   /* its entry in owners */
	__u32 misses;  /* searches in a row that found nothing */
	__u32 generation; /* tree_generation that root and cache are of */
	struct known_code known[KNOWN_CODES];
	struct cache cache;
};

#define THREAD_WAYS 4

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread);
} threads SEC(".maps");

/* When a process was last reported as unknown: tgid << 32 | time. Direct-mapped; a collision costs a record. */
#define NOTICES 1024
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NOTICES);
	__type(key, __u32);
	__type(value, __u64);
} notices SEC(".maps");

#define TSTATE_MASK 511 /* covers TSTATE_READ */

#define UNSETTLED_NEW	 1
#define UNSETTLED_REUSED 2 /* ... at the address of an older one */

/* Working memory of one CPU. */
struct scratch {
	volatile __u32 busy;
	__u32 generation; /* tree_generation when this sample began, ... */
	__u32 bank;	  /* ... and its bank_of() */
	__u32 node;	  /* while interning: the node reached so far */
	__u32 process;
	__u32 home;	  /* node_home() of its root */
	__u32 captures;	  /* code objects sent by this sample */
	__u32 kept;	  /* new frames that it put there */
	__u32 unsettled;  /* this sample saw a new code object (UNSETTLED_ bits), ... */
	__u32 no_epoch; /* ... and one that proves the epoch wrong */
	__u32 remember;	  /* whether interning fills the thread's cache */
	__u64 epoch;	  /* the code epoch; 0 = none */
	__u64 made;	  /* 3.13: code versions given out so far */
	__u64 thread_pointer;
	__u64 interp;	  /* thread state search: the interpreter, ... */
	__u64 candidate;  /* ... the thread state to look at next, ... */
	__u64 fallback;	  /* ... one that is this thread's but not attached, ... */
	__u64 found;	  /* ... the result, ... */
	__u64 budget;	  /* ... and how many more may be looked at */
	__u64 cframe[4];  /* first words of the CFrame (3.11, 3.12) */
	__u32 known_tgid; /* of known; 0 = none */
	__u64 known_stamp;
	struct process known; /* a copy of its entry in processes */
	__u8 tstate[TSTATE_MASK + 1 + 8];
	__u8 code[256 + 8];
	struct walk walk;
	struct record_code record;
	__u8 slack[2 * STRING_MAX + LINETABLE_SMALL];
	struct thread stranger; /* stands in when the thread table has no free way */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Set by user space before loading. Table sizes are powers of two, those of nodes, codes and owners of a bank each. */
const volatile __u32 opt_node_mask;
const volatile __u32 opt_code_mask;
const volatile __u32 opt_owner_mask;
const volatile __u32 opt_thread_sets_mask;
const volatile __u32 opt_max_depth = 1024;
const volatile __u32 opt_cpus = 1;
const volatile __u8 opt_single_reads;
const volatile __u8 opt_measure; /* keep a histogram of the sampler's run time */
const volatile __u32 opt_cache_depth = CACHE_DEPTH;
const volatile __u8 opt_cache = CACHE_VERIFIED; /* enum cache_mode */
const volatile __u8 opt_by_thread = 1;	/* owners are threads, else processes */
const volatile __u8 opt_all = 1;	/* every process is of interest, else those in the processes map */
const volatile __u8 opt_follow = 1;	/* children of known processes are known */
const volatile __u32 opt_self;		/* the profiler's own tgid: never analysed */

/* Goes up after every change of the processes map, whoever makes it. */
__u64 processes_stamp;

/*
 * Nodes, codes and owners have two halves, the banks, of which samples use one: odd generations of the tree the second.
 * When it gets full user space begins a new generation, and empties the bank that was left once no program uses it.
 * A sample reads the generation once; everything that remembers numbers of an older tree knows it by its generation.
 */
__u32 tree_generation;

/* Entries of each bank of the owners table in use. */
__u32 owners_used[BANKS];

/* All ones for the second bank, else 0. */
static __always_inline __u32 bank_of(__u32 generation)
{
	return -(generation & 1);
}

/* A table's index in this bank; mask: as many as a bank has entries, less one. */
static __always_inline __u32 bank_index(__u32 bank, __u32 mask, __u32 at)
{
	return (at & mask) | (bank & (mask + 1));
}

/* The last struct process.id given out; user space takes numbers from it too. 0 is never used. */
__u32 last_process_id;

/* Those that user space has names for; it sets and clears the bits. */
__u64 held_ids[PROCESS_IDS / 64];

static __always_inline __u32 new_process_id(void)
{
	return new_id(held_ids, &last_process_id);
}

#endif
