/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - the product's tables in memory, and what each of their lines is a part of.
 */
#ifndef PYPERF_TESTS_LINES_PARTS_H
#define PYPERF_TESTS_LINES_PARTS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "bpf/data/scratch.h"
#include "bpf/data/share.h"
#include "tests/bench/lines/run.h"

/* As in user/kern/tables.c. */
#define LINES_NODES	(1U << 19)
#define LINES_CODES	(1U << 17)
#define LINES_OWNERS	(1U << 14)
#define LINES_THREAD_SETS (1U << 7)
#define LINES_CPUS	2

/* Where values begin in a table that user space cannot map: sizeof(struct bpf_array) of Linux 6.18. */
#define ARRAY_HEADER 312

struct part {
	const char *name;
	size_t end; /* in its structure */
};

#define PART_END(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* The parts of the structures that are larger than some lines. */
static const struct part scratch_parts[] = {
	{ "scratch: who and where", PART_END(struct scratch, who) },
	{ "scratch: thread state", PART_END(struct scratch, cframe) },
	{ "scratch: what most ticks leave alone", offsetof(struct scratch, walk) },
	{ "scratch: walk", offsetof(struct scratch, walk) + offsetof(struct walk, mem) },
	{ "scratch: memory that was read", offsetof(struct scratch, walk) + offsetof(struct walk, frames) },
	{ "scratch: frames", PART_END(struct scratch, walk) },
	{ "scratch: the rest", sizeof(struct scratch) },
};

static const struct part thread_parts[] = {
	{ "thread: itself", offsetof(struct thread, known) },
	{ "thread: code objects", PART_END(struct thread, known) },
	{ "thread: last stack", sizeof(struct thread) },
};

static inline const char *part_in(const struct part *parts, size_t count, size_t offset)
{
	size_t i = 0;

	while (i + 1 < count && offset >= parts[i].end)
		i++;
	return parts[i].name;
}

static const char *run_part(__u64 address)
{
	for (int i = 0; i < image.table_count; i++) {
		const struct table *t = &image.tables[i];
		const __u64 at = address - (unsigned long)t->memory;

		if (at >= t->size)
			continue;
		if (!strcmp(t->name, "scratches"))
			return part_in(scratch_parts, ARRAY_SIZE(scratch_parts), at % t->value);
		if (!strcmp(t->name, "threads"))
			return part_in(thread_parts, ARRAY_SIZE(thread_parts), at % t->value);
		return t->name;
	}
	if (address - (unsigned long)run.stack < STACK_SIZE)
		return "stack";
	if (address - (unsigned long)run.task < 8192)
		return "task_struct";
	return "target";
}

/* flags: of the map. */
static inline void part_table(const char *name, __u32 count, size_t value, __u32 flags)
{
	value = (value + 7) & ~(size_t)7;
	table_add(name, count * value, value, flags & BPF_F_MMAPABLE ? 0 : ARRAY_HEADER);
}

static inline void part_tables(void)
{
	part_table("nodes", LINES_NODES, sizeof(struct node), BPF_F_MMAPABLE);
	part_table("codes", LINES_CODES, sizeof(struct code), BPF_F_MMAPABLE);
	part_table("owners", LINES_OWNERS, sizeof(struct owner), BPF_F_MMAPABLE);
	part_table("stats", LINES_CPUS + 1, sizeof(struct cpu_stats), BPF_F_MMAPABLE);
	part_table("layouts", LAYOUTS_MAX, sizeof(struct layout), BPF_F_MMAPABLE);
	part_table("threads", 4 * LINES_THREAD_SETS, sizeof(struct thread), BPF_F_MMAPABLE);
	part_table("scratches", LINES_CPUS + 1, sizeof(struct scratch), BPF_F_MMAPABLE);
	part_table("shares", SHARES, sizeof(struct share), 0);
	table_add("processes", 4 * 256, 256, 0)->hash = true;
}

#endif
