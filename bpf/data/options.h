/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - what user space sets before it loads the programs (user/kern/kernel.c): constants for the
 * verifier, which leaves out what an option switches off.
 */
#ifndef PYPERF_BPF_DATA_OPTIONS_H
#define PYPERF_BPF_DATA_OPTIONS_H

#include "bpf/abi.h"
#include "bpf/data/cache.h"

/*
 * Options, set by user space before loading. The masks are sizes of tables, less one: powers of two, those of
 * nodes, codes and owners of one bank.
 */
const volatile __u32 opt_node_mask;
const volatile __u32 opt_code_mask;
const volatile __u32 opt_owner_mask;
const volatile __u32 opt_thread_sets_mask;
const volatile __u32 opt_wait_sets_mask;
const volatile __u32 opt_max_depth = 1024;
const volatile __u32 opt_patience;     /* ns, how long a sample may take (data/budget.h); 0 = for ever */
const volatile __u32 opt_cache_depth = CACHE_DEPTH;
const volatile __u32 opt_patience_wait; /* ns, the same where locks are held */
const volatile __u8 opt_cache = CACHE_VERIFIED; /* enum cache_mode */
const volatile __u8 opt_single_reads; /* a read for each frame, no blocks */
const volatile __u8 opt_measure;      /* keep a histogram of the sampler's run time */
const volatile __u8 opt_by_thread = 1; /* owners are threads, else processes */
const volatile __u8 opt_async;	       /* stacks go on with what awaits the asyncio task that runs */
const volatile __u8 opt_contexts;      /* so many context variables are labels of samples of CPU time */
const volatile __u8 opt_trace;	       /* with opt_log: it has the ids of OpenTelemetry's current span */
const volatile __u8 opt_states;	       /* samples of CPU time say what the interpreter was doing */
const volatile __u8 opt_all = 1;       /* every process is of interest, else those in the processes map */
const volatile __u8 opt_programs;      /* those that are no Python are of interest, too */
const volatile __u8 opt_follow = 1;    /* children of known processes are known */
const volatile __u8 opt_threads;       /* enum thread_mode */
const volatile __u8 opt_native;	       /* enum native_mode */
const volatile __u8 opt_kernel;	       /* enum kernel_mode */
const volatile __u8 opt_kernel_nameless; /* of the kernel's functions nobody knows the names */
const volatile __u8 opt_native_loop;   /* the interpreter's loop is a native frame, too */
const volatile __u8 opt_native_lines;  /* of the leaf the place in the function is of interest, too */
const volatile __u32 opt_self;	       /* the profiler's own tgid: never analysed */
const volatile __u32 opt_spare;	       /* the index behind the last CPU's in stats and scratches */
const volatile __u64 opt_secret;      /* random: no program can choose the identity of its code objects */
const volatile __u8 opt_log;	       /* each sample is noted in the journal */
const volatile __u8 opt_account;       /* the kernel's account of CPU time is of interest */
const volatile __u8 opt_offcpu;	       /* waits of all kinds are of interest, */
const volatile __u8 opt_gil;	       /* ... those for the GIL by themselves */
const volatile __u64 opt_sessions; /* the cgroup below which users may make their own; 0 = there is none */
const volatile __u64 opt_min_wait; /* ns; shorter waits are not in the profile */
const volatile __u8 opt_loop;	       /* turns of event loops are of interest */
const volatile __u8 opt_loop_exact;    /* ... also those between which the loop does not sleep */
const volatile __u64 opt_min_turn;     /* ns; shorter turns are not in the profile */
const volatile __u64 opt_tick_ns;      /* ns from one tick to the next */
const volatile __u32 opt_budget;      /* of a CPU, for all samples, as data/budget.h has it; 0 = no limit */
const volatile __u8 opt_budget_free;  /* log2 of the ns that a CPU may owe before anything is thinned */
const volatile __u8 opt_tick_levels;  /* of thinning ticks, at most COST_LEVELS */
const volatile __u64 opt_rss_step = 1; /* pages; smaller changes of a process's memory wait */
const volatile __u64 opt_page = 4096;  /* bytes of a page */
const volatile __u64 opt_period = 1;   /* ns from one tick of a timer to the next */
const volatile __u64 opt_kernel_base = KERNEL_LAST; /* where the kernel's functions begin */

#endif
