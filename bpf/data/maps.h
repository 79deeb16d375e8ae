/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.h - every map and every variable that the programs share with user space. A size written as 1 is set
 * by user/kern/tables.c before loading. Nothing in here is a locked hash map that the sampler updates: it
 * only fills flat arrays, by compare-and-swap.
 */
#ifndef PYPERF_BPF_DATA_MAPS_H
#define PYPERF_BPF_DATA_MAPS_H

#include "bpf/data/memory.h"
#include "bpf/data/options.h"
#include "bpf/data/scratch.h"
#include "bpf/data/share.h"
#include "bpf/data/turn.h"
#include "bpf/data/wait.h"

#define FLAT_TABLE(name, record, flags, entries)                                                             \
	struct {                                                                                             \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                            \
		__uint(map_flags, flags);                                                                    \
		__uint(max_entries, entries);                                                                \
		__type(key, __u32);                                                                          \
		__type(value, record);                                                                       \
	} name SEC(".maps")

/* The profile, which user space reads while it grows. Those of nodes, codes and owners hold both banks. */
FLAT_TABLE(nodes, struct node, BPF_F_MMAPABLE, 1);
FLAT_TABLE(codes, struct code, BPF_F_MMAPABLE, 1);
FLAT_TABLE(owners, struct owner, BPF_F_MMAPABLE, 1);
/* One for each possible CPU, and a spare one for programs that user space runs (opt_spare). */
FLAT_TABLE(stats, struct cpu_stats, BPF_F_MMAPABLE, 1);

/* The ring buffer of bpf/abi/records.h. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} records SEC(".maps");

/*
 * Processes that something is known of. User space and the fork, exec and exit handlers change it, no sample
 * does.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32); /* tgid */
	__type(value, struct process);
} processes SEC(".maps");

/* Programs whose processes are known from their exec on. User space fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KNOWN_PROGRAMS);
	__type(key, struct program_file);
	__type(value, struct known_program);
} known_programs SEC(".maps");

/* What each user has of the call tree and its tables; in a full set, one who was quiet makes room. */
FLAT_TABLE(shares, struct share, 0, SHARES);

/*
 * Tables that every tick uses are of the kind that user space could map, although it does not: entries of
 * the others begin behind a header, in the middle of a line of the cache.
 */
FLAT_TABLE(layouts, struct layout, BPF_F_MMAPABLE, LAYOUTS_MAX);
FLAT_TABLE(task_layouts, struct task_layout, 0, TASK_LAYOUTS_MAX); /* with --async only */
FLAT_TABLE(contexts, struct context_vars, 0, CONTEXTS_MAX);	   /* with --label-var only */

/* Sets of THREAD_WAYS threads each; in a full set, the one that was sampled longest ago makes room. */
#define THREAD_WAYS 4
FLAT_TABLE(threads, struct thread, BPF_F_MMAPABLE, 1);

/* What is remembered of the native frames of each of `threads`; only with --native full. */
FLAT_TABLE(native_caches, struct native_cache, 0, 1);

/* What a sample works on: one for each possible CPU, and a spare one (opt_spare). */
FLAT_TABLE(scratches, struct scratch, BPF_F_MMAPABLE, 1);

/*
 * tgid << 32 | time of a process's last RECORD_PROCESS. Processes that share a slot are reported more often.
 */
#define NOTICES 1024
FLAT_TABLE(notices, __u64, 0, NOTICES);

/* Threads that wait, in sets: all keys of a set in one line of the cache, and for each key its wait. */
struct wait_keys {
	__u64 key[WAIT_WAYS];
} __attribute__((aligned(64)));
FLAT_TABLE(wait_keys, struct wait_keys, 0, 1);

/* Whose they are (events/wait_table.h); read only where a set is full. */
struct wait_users {
	struct wait_user way[WAIT_WAYS];
};
FLAT_TABLE(wait_users, struct wait_users, 0, 1);
FLAT_TABLE(waits, struct wait, 0, 1);
FLAT_TABLE(turns, struct turn, 0, 1);  /* with --event loop only: as many, under the same numbers */
FLAT_TABLE(rounds, struct turn, 0, 1); /* with --loop-exact only: the same (events/turn_exact.h) */

/* Up to where the account of a thread was counted. It is the thread's, and goes with it. */
struct account {
	__u64 ns;      /* of its time on a CPU */
	__u32 process; /* struct process.id to which it was counted */
	__u32 listed;  /* a list of all tasks has met it */
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

/* The journal of samples: one ring for each possible CPU; with --log only. */
FLAT_TABLE(journals, struct journal_ring, BPF_F_MMAPABLE, 1);

/* A stack that user space has looked at, for add_stack. */
FLAT_TABLE(outside_stacks, struct outside_stack, BPF_F_MMAPABLE, 1);

/* Memory of processes, in sets: how much of it is counted. */
FLAT_TABLE(memories, struct memory_set, 0, MEMORY_SETS);

/* What makes ticks where perf events are refused: one for each possible CPU. */
struct cpu_timer {
	struct bpf_timer timer;
	__u64 due;		/* of the tick to come, ns of CLOCK_MONOTONIC */
} __attribute__((aligned(64))); /* no cache line belongs to two CPUs */
FLAT_TABLE(timers, struct cpu_timer, 0, 1);

/* What is known of machine code: bpf/abi/native.h. */
FLAT_TABLE(texts, union text_block, BPF_F_MMAPABLE, 1);

/* What was asked of user space last, and when, in its upper and lower half. */
#define NATIVE_ASKED 256
FLAT_TABLE(native_asked, __u64, 0, NATIVE_ASKED);

/* With --trace: by a hash, which span user space was told of last. */
#define SPANS_TOLD 4096
FLAT_TABLE(spans_told, __u64, 0, SPANS_TOLD);

/* Whoever compiles this for the host may have the variables elsewhere (user/hosted/host.h). */
#ifndef VARIABLES_ELSEWHERE

/*
 * Goes up after every change of the processes map, whoever makes it. docs/internals/counters.md has this and
 * the other numbers by which the sampler knows that what it remembers still holds.
 */
__u64 processes_stamp;

/*
 * The generation of the call tree. The tables of nodes, codes and owners have two halves, the banks, of which
 * samples use one: the second when this is odd. When a bank gets full, user space begins a new generation,
 * and empties the bank that was left once no program uses it any more. A sample reads the generation once.
 * Whatever remembers numbers of a tree also remembers its generation, and knows by that when they are of no
 * use any more.
 */
__u32 tree_generation;

/* The edition of `texts`, as in space_number(). */
__u32 texts_edition;

struct bank_used banks_used[BANKS];

/* What user space may change while samples are taken. */
struct rates rates;

/* The last struct process.id given out, by either side (bpf/base/ids.h). */
__u32 last_process_id;

/* One bit for each struct process.id that user space has names for; it sets and clears them. */
__u64 held_ids[PROCESS_IDS / 64];

#endif

#endif
