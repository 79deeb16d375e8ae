/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * home.h - where the sampler runs: what a run asks of that place, as one list. Nobody above this list asks
 * which one it is.
 */
#ifndef PYPERF_KERN_HOME_H
#define PYPERF_KERN_HOME_H

#include <linux/types.h>
#include <stdbool.h>

#include "bpf/abi.h"
#include "kern/table.h"

struct kernel;
struct kernel_options;
struct kernel_stats;
struct pyperf;
struct pyperf__bss;
struct pyperf__rodata;

/* What the sampler and user space both use: its options, its variables, and its tables. */
struct side {
	const struct pyperf__rodata *rodata;
	struct pyperf__bss *bss;
	struct table nodes, codes, owners, stats; /* the call tree, and the counters */
	struct table processes, known_programs, layouts, task_layouts, contexts;
	struct table journals, outside_stacks, texts;
};

/*
 * In the order in which they are called. Those that return an int return 0 or -errno, if nothing else is
 * said, and the first four leave a reason with kernel_fail().
 */
struct home {
	const char *name; /* what runs the sampler, in one word */
	/* A process looks at others, which it must be able to read; it misses looks where it gets no CPU. */
	bool is_outside;
	/* Whether it can run here; lowers what the options ask for to what it can do. */
	int (*choose)(struct kernel *k, struct kernel_options *o);
	/* Begins with the sized object and its options, k->skel. Then k->side and the records are there. */
	int (*load)(struct kernel *k);
	/* Samples are taken, on so many CPUs. Again after stop(), too. */
	int (*start)(struct kernel *k, int *ret_cpus);
	/* To be called about once a second. 1: *ret_cpus is new. -EPIPE: there will be no sample any more. */
	int (*follow)(struct kernel *k, int *ret_cpus);
	/* -EOPNOTSUPP: another frequency cannot be had while it runs. */
	int (*set_rate)(struct kernel *k, __u32 frequency, double budget);
	/* Counts what has passed until now of what is counted when it ends. */
	void (*settle)(struct kernel *k);
	void (*stop)(struct kernel *k);
	/* Returns when no sample is under way that has begun before. */
	int (*wait)(const struct kernel *k);
	/* Of each process of the machine; stops and returns fn's value when that is not 0. */
	int (*list)(struct kernel *k, int (*fn)(void *, const struct record_process *), void *context);
	/* -ESRCH: there is no such process. */
	int (*set_number)(struct kernel *k, const struct number_request *r);
	/* Calls kernel_forward_record() with each record; ends where that returns less than 0, with that. */
	int (*read_records)(struct kernel *k);
	int (*records_fd)(const struct kernel *k); /* is readable when they are to be read soon */
	__u64 (*expected)(const struct kernel *k); /* ticks until now; 0 = that is not known */
	void (*add_costs)(const struct kernel *k, struct kernel_stats *ret);
	/* However far it came. */
	void (*close)(struct kernel *k);
};

/* BPF programs: the sampler runs on each CPU. */
extern const struct home home_kernel;

/* The tables of an object, and its options. */
void side_of_object(struct pyperf *skel, struct side *ret);

#endif
