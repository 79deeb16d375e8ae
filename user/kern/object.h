/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * object.h - the kernel side, whole: for the files of kern/ alone. Everybody else comes by a door: kernel.h
 * (its life), process_table.h, banks.h, records.h, stats.h, and for what is handed through as it is texts.h,
 * task_layouts.h, contexts.h, asleep.h and cpu_ticks.h.
 */
#ifndef PYPERF_KERN_OBJECT_H
#define PYPERF_KERN_OBJECT_H

#include "kern/accounts.h"
#include "kern/asleep.h"
#include "kern/banks.h"
#include "kern/contexts.h"
#include "kern/grace.h"
#include "kern/home.h"
#include "kern/index_room.h"
#include "kern/journal_rings.h"
#include "kern/kernel.h"
#include "kern/process_room.h"
#include "kern/task_layouts.h"
#include "kern/texts.h"
#include "kern/trigger.h"

struct cpu_ticks;
struct dead_cpus;
struct pyperf;
struct ring_buffer;

/* The ring buffer, and how far it is read (records.c). */
struct records {
	const unsigned long *read, *made; /* positions in it: up to where it was read, and written */
	size_t ring_bytes;
	__u64 until;  /* clock_ns() after which this reading ends */
	size_t bytes; /* of it so far */
	bool more;    /* it has ended before the ring was empty */
};

struct kernel {
	const struct home *home;
	struct pyperf *skel; /* sized, and with its options; the home knows whether it is loaded */
	struct side side;
	void *at_home; /* the home's own */
	bool refused;  /* kernel_is_refused() */
	struct records records;
	struct ring_buffer *ring;
	struct trigger trigger;
	struct grace grace;
	struct texts texts;
	struct journal_rings journal;
	struct accounts accounts;
	struct asleep_programs asleep;
	struct task_layouts task_layouts;
	struct contexts contexts;
	struct dead_cpus *dead_cpus;
	struct cpu_ticks *cpu_ticks;
	struct kernel_options options;
	struct kernel_tables tables;
	const struct cpu_stats *stats;
	int cpus;
	int stats_fd; /* keeps run-time statistics on */
	int (*on_record)(void *context, void *record, size_t size);
	void *on_record_context;
	__u32 layouts; /* that were used, of LAYOUTS_MAX */
	struct index_room layout_room;
	__u64 processes_full; /* as in cpu_stats, found by us */
	struct process_room process_room;
	__u64 nodes_before, codes_before; /* counted before this generation of the tree */
	char reason[512];
};

/* Keeps the reason for kernel_reason(). Returns err. */
int kernel_fail(struct kernel *k, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Of struct home.read_records(): a negative number ends the reading behind this record. */
int kernel_forward_record(void *kernel, void *record, size_t size);

/* The limit of memory (cgroup) with which a run with so many bytes of tables can begin: whole MiB. */
size_t kernel_limit_of(size_t tables);

#endif
