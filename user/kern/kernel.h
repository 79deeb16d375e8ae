/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - the kernel side as an object, and its life: loads the programs, sizes and maps their tables,
 * starts and stops the ticks. Owns every descriptor and mapping; closing it leaves nothing behind in the
 * kernel. What goes on between start and stop has a header each, for those who need just that:
 * process_table.h, records.h, banks.h and stats.h.
 */
#ifndef PYPERF_KERN_KERNEL_H
#define PYPERF_KERN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "kern/trigger.h"

struct home;
struct kernel;

struct kernel_options {
	__u32 needs; /* enum event_needs bits: what has to run, so that events come */

	/* The ticks. */
	const struct home *home;   /* where the sampler runs; NULL = home_kernel */
	enum trigger_kind trigger; /* what makes them */
	__u32 frequency;	   /* samples per second of each CPU */
	bool use_cycles;	   /* hardware cycles instead of cpu-clock */

	/* Kinds of event beside CPU time. */
	__u64 min_wait_ns; /* shorter waits are not in the profile */
	__u64 min_turn_ns; /* shorter turns of event loops are not in it */
	bool log;	   /* a journal is kept of all samples (kern/journal_rings.h) */
	bool wall;	   /* the sum of all times has books of its own */
	__u32 walked;	   /* kinds of events of which a thread's last stack is remembered apart; 0 = 1 */
	__u64 rss_step;	   /* bytes by which one does before that is counted */

	/* Whose samples are taken, and what they are told apart by. */
	bool all;		  /* every process is profiled, else only those of kernel_set_process() */
	bool programs;		  /* with all: those that are no Python are profiled, too */
	bool follow;		  /* the children of profiled processes are profiled too */
	enum thread_mode threads; /* whose samples are of interest */
	bool by_thread;		  /* owners are threads, else processes */
	bool states; /* samples of CPU time say what the interpreter was doing (bpf/states.def) */

	/* The stack. */
	__u32 max_depth;
	bool async;	       /* stacks have what awaits the asyncio task that runs (kern/task_layouts.h) */
	unsigned int contexts; /* so many context variables are labels (kern/contexts.h) */
	bool trace;	       /* with log: samples have the ids of OpenTelemetry's current span */
	bool single_reads;     /* one read for each frame, instead of blocks */
	enum cache_mode cache;
	__u32 cache_threads; /* threads whose last stack is remembered; 34 KiB each */
	__u32 cache_depth;   /* frames remembered of each of them, at most 1024 */
	__u32 tree_size;     /* nodes of the tree, both banks, rounded up to a power of two; 0 = 524,288 */

	/* Code that is not Python's. */
	enum native_mode native;
	size_t native_memory; /* bytes for the table of native code */
	bool native_loop;     /* with callers: the interpreter's loop is one of them */
	bool native_lines;    /* of the leaf the place in the function is kept, too */
	enum kernel_mode kernel;
	bool kernel_nameless; /* nobody has names for the kernel's functions: they are not looked for */
	__u64 kernel_base;    /* of their positions (kernel_names_base()); 0 = KERNEL_LAST */

	/* What the profiler costs. */
	double budget;	 /* of each CPU, for all samples (bpf/sample/cost.h); 0 = no limit */
	bool measure;	 /* the sampler takes its own time; costs some 30 ns a run */
	bool statistics; /* the kernel takes the time of all BPF programs of the machine */
};

#define KERNEL_BTF_FILE "/sys/kernel/btf/vmlinux"

/* Bytes that the tables take, and the least limit of memory (cgroup) with which a run can begin. */
struct kernel_room {
	size_t tables, limit;
};

/*
 * What a run with these options needs. Nothing is loaded, so that no rights are wanted. 0, or -errno, and
 * then *ret is as it was.
 */
int kernel_measure(const struct kernel_options *o, struct kernel_room *ret);

/* Why kernel_open() or kernel_start() failed, in words that say what to do. The text is static or k's. */
const char *kernel_reason(const struct kernel *k);
/* Whether kernel_open() failed since BPF programs are not to be had here, and not for want of memory. */
bool kernel_is_refused(const struct kernel *k);

/*
 * Loads the programs and makes the tables. Lowers o->frequency to the system's limit, and puts the trigger
 * that was chosen in place of TRIGGER_AUTO. Returns 0 or -errno. After a failure *ret is set all the same if
 * kernel_reason() has something to say; the caller then closes it.
 */
int kernel_open(struct kernel **ret, struct kernel_options *o);
void kernel_close(struct kernel *k);

/* Where its sampler runs. */
const struct home *kernel_home(const struct kernel *k);

/* Attaches the programs and starts the ticks. The number of CPUs is in *ret_cpus. */
int kernel_start(struct kernel *k, int *ret_cpus);
/*
 * Keeps every online CPU ticking (trigger_follow_cpus()). To be called about once a second. *ret_cpus is set
 * only when CPUs came or went.
 */
int kernel_follow_cpus(struct kernel *k, int *ret_cpus);
/*
 * Other rates from now on, as in struct kernel_options. *ret_frequency is what it is then, which the system
 * may have lowered. 0; -EOPNOTSUPP: it stays as it was, but for the budget; or -errno: there are no ticks,
 * and kernel_follow_cpus() tries again. Logs nothing: kernel_reason() says why.
 */
int kernel_set_rate(struct kernel *k, __u32 frequency, double budget, __u32 *ret_frequency);
/* Stops the ticks. The tables stay readable. */
void kernel_stop(struct kernel *k);

/* Counts what has passed of the waits under way, so that what comes later is of the time that comes later. */
void kernel_settle(struct kernel *k);

#endif
