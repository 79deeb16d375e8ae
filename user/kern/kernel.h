/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - the kernel side as an object: loads the programs, sizes and maps their tables, starts and stops
 * the ticks. Owns every descriptor and mapping; closing it leaves nothing behind in the kernel.
 */
#ifndef PYPERF_KERN_KERNEL_H
#define PYPERF_KERN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "kern/trigger.h"

struct asleep_programs;
struct cpu_ticks;
struct kernel;
struct process_list;
struct task_layouts;
struct texts;

struct kernel_options {
	/* The ticks. */
	bool no_ticks;		   /* nothing is sampled by the clock */
	enum trigger_kind trigger; /* what makes them */
	__u32 frequency;	   /* samples per second of each CPU */
	bool use_cycles;	   /* hardware cycles instead of cpu-clock */

	/* Kinds of event beside CPU time. */
	bool waits;	   /* threads are seen to wait (kern/waits.h), */
	bool gil;	   /* ... and those waits that are for the GIL are a kind of their own */
	__u64 min_wait_ns; /* shorter waits are not in the profile */
	bool wall;	   /* the sum of all times has books of its own */
	__u32 walked;	   /* kinds of events of which a thread's last stack is remembered apart; 0 = 1 */
	bool memory;	   /* processes are seen to grow and shrink (kern/memory.h) */
	__u64 rss_step;	   /* bytes by which one does before that is counted */
	bool tasks;	   /* stacks of asyncio tasks may be given (kern/asleep.h) */

	/* Whose samples are taken, and what they are told apart by. */
	bool all;		  /* every process is profiled, else only those of kernel_set_process() */
	bool programs;		  /* with all: those that are no Python are profiled, too */
	bool follow;		  /* the children of profiled processes are profiled too */
	enum thread_mode threads; /* whose samples are of interest */
	bool by_thread;		  /* owners are threads, else processes */
	bool states; /* samples of CPU time say what the interpreter was doing (bpf/states.def) */

	/* The stack. */
	__u32 max_depth;
	bool async;	   /* stacks have what awaits the asyncio task that runs (kern/task_layouts.h) */
	bool single_reads; /* one read for each frame, instead of blocks */
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

	/* What the profiler costs. */
	bool measure;	 /* the sampler takes its own time; costs some 30 ns a run */
	bool statistics; /* the kernel takes the time of all BPF programs of the machine */
};

/* Why kernel_open() or kernel_start() failed, in words that say what to do. The text is static or k's. */
const char *kernel_reason(const struct kernel *k);

/*
 * Loads the programs and makes the tables. Lowers o->frequency to the system's limit, and puts the trigger
 * that was chosen in place of TRIGGER_AUTO. Returns 0 or -errno. After a failure *ret is set all the same if
 * kernel_reason() has something to say; the caller then closes it.
 */
int kernel_open(struct kernel **ret, struct kernel_options *o);
void kernel_close(struct kernel *k);

/* Attaches the programs and starts the ticks. The number of CPUs is in *ret_cpus. */
int kernel_start(struct kernel *k, int *ret_cpus);
/*
 * Keeps every online CPU ticking (trigger_follow_cpus()). To be called about once a second. *ret_cpus is set
 * only when CPUs came or went.
 */
int kernel_follow_cpus(struct kernel *k, int *ret_cpus);
/* Stops the ticks. The tables stay readable. */
void kernel_stop(struct kernel *k);

/* Counts what has passed of the waits under way, so that what comes later is of the time that comes later. */
void kernel_settle(struct kernel *k);

/* How threads are found that sleep, and whose stack nobody could take: kern/asleep.h. */
const struct asleep_programs *kernel_asleep(const struct kernel *k);

/* Whether waits for the GIL are of interest. */
bool kernel_sees_gil(const struct kernel *k);

/* Calls fn for each process of the machine; stops and returns fn's value when that is not 0. */
int kernel_list_processes(struct kernel *k, int (*fn)(void *context, const struct record_process *p),
			  void *context);

__u32 kernel_new_process_id(struct kernel *k);
/* While an id is held, because there are still names for it, neither side gives it to another process. */
void kernel_hold_process_id(struct kernel *k, __u32 id, bool hold);
/*
 * 0, or -errno: -E2BIG when the table is full. Programs that are no Python make room, so it is full of
 * others.
 */
int kernel_set_process(struct kernel *k, __u32 pid, const struct process *p);
/* Every entry; processes_list() says more. */
int kernel_processes(const struct kernel *k, struct process_list *ret);
int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret);
int kernel_remove_process(struct kernel *k, __u32 pid);
/*
 * Finds or adds a layout, in the place of one that no process has any more if need be. Returns its index, or
 * -errno: -ENOSPC when processes of LAYOUTS_MAX layouts run.
 */
int kernel_add_layout(struct kernel *k, const struct layout *l);
int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret);

/*
 * The records of the ring buffer: a descriptor to wait on, which is readable when there are some; their
 * reader, which returns 0 or -errno; and the function that the reader calls with each record.
 */
int kernel_records_fd(const struct kernel *k);
int kernel_read_records(struct kernel *k);
void kernel_on_record(struct kernel *k, int (*fn)(void *context, void *record, size_t size), void *context);

/* The tables, mapped read-only. They change while the ticks run. */
struct kernel_tables {
	const struct node *nodes;
	const struct code *codes;
	const struct owner *owners;
	__u32 node_count, code_count, owner_count;
	size_t map_bytes; /* memory of all maps */
};

const struct kernel_tables *kernel_tables(const struct kernel *k);

/* Where asyncio's tasks are in each process that has them: kern/task_layouts.h. */
struct task_layouts *kernel_task_layouts(struct kernel *k);
/* The table of native code: kern/texts.h. */
struct texts *kernel_texts(struct kernel *k);

/* The numbers first to end - 1. */
struct kernel_range {
	__u32 first, end;
};

/* One half of the tables. Node 0 and the codes below CODE_FIRST belong to neither bank. */
struct kernel_bank {
	struct kernel_range nodes, codes, owners;
};

/*
 * A new generation of the tree begins while the ticks go on, in three steps: kernel_flip() makes all ticks
 * that begin from now on use the other bank. kernel_wait() returns when no tick uses the bank that was left.
 * kernel_clear() empties that bank, so that the next flip can use it. Before that the caller takes from it
 * what is wanted, and reads the records of its code objects from the ring buffer. The last two return 0 or
 * -errno. After a failure nothing has changed.
 */
void kernel_flip(struct kernel *k);
int kernel_wait(const struct kernel *k);
int kernel_clear(struct kernel *k);
/* The bank that the ticks do not use. */
struct kernel_bank kernel_other_bank(const struct kernel *k);

/* How full the bank is that the ticks use, 0 to 1: of its tables of nodes, codes and owners the fullest. */
double kernel_fullness(const struct kernel *k);

struct kernel_stats {
	struct cpu_stats sum;
	__u64 runs, run_time_ns;       /* of the sampler; 0 unless options.measure */
	__u64 other_runs, other_time_ns; /* of the fork, exec and exit programs */
	__u64 wait_runs, wait_time_ns;	 /* of the programs that see threads wait */
	__u64 memory_runs, memory_time_ns; /* of the one that sees processes grow */
};

void kernel_stats(const struct kernel *k, struct kernel_stats *ret);
/* What makes the ticks; never TRIGGER_AUTO. */
enum trigger_kind kernel_trigger(const struct kernel *k);
/* How many ticks there should have been until now; 0 = unknown. trigger_expected() says how it is known. */
__u64 kernel_expected(const struct kernel *k);
/* The same of each CPU, as of the last kernel_follow_cpus(): kern/cpu_ticks.h. Of cycles it knows nothing. */
const struct cpu_ticks *kernel_cpu_ticks(const struct kernel *k);

#endif
