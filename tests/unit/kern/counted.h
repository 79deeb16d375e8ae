/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counted.h - open_kernel.h, and what the kernel side has counted of a process that it was told about.
 */
#ifndef PYPERF_TESTS_KERN_COUNTED_H
#define PYPERF_TESTS_KERN_COUNTED_H

#include "kern/banks.h"
#include "tests/unit/kern/open_kernel.h"

/* Such a process has no layout: its threads have no stack, so all is below one marker. */
static inline void watch(pid_t pid, enum process_state state)
{
	const struct record_process e = find_process(kernel, pid);
	const struct process p = {
		.start_time = e.start_time, .exec_id = e.exec_id, .id = 7, .state = state
	};

	assert_int_equal(kernel_set_process(kernel, pid, &p), 0);
}

static inline struct cpu_stats counted(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	return s.sum;
}

static inline __u64 in_books(const struct cpu_stats *s, enum event_kind kind)
{
	__u64 sum = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		sum += s->outcome[kind][i];
	return sum;
}

static inline __u64 in_tree(void)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	__u64 sum = 0;

	for (__u32 i = 0; i < t->node_count; i++)
		sum += t->nodes[i].count;
	return sum;
}

#endif
