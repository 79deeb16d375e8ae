/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count.h - the last step of a sample: what its stack led to is counted, with its native part if that is
 * wanted.
 */
#ifndef PYPERF_BPF_PYTHON_COUNT_H
#define PYPERF_BPF_PYTHON_COUNT_H

#include "bpf/native/native.h"
#include "bpf/tree/tree.h"

/* Counts a sample for which there was no room. Returns the outcome. */
static __always_inline enum outcome count_lost(struct scratch *s, struct cpu_stats *count,
					       const struct event event, __u32 root)
{
	__u32 marker = root ? node_add(count, s->tree.bank, root, OUTCOME_TABLE_FULL) : 0;

	/* Where there is no room for the marker either, the node that the kind has for that. */
	if (event.kind != EVENT_CPU)
		s->tree.node = marker ?: event.kind;
	if (event.amount)
		node_count(marker ?: event.kind, event.amount);
	return OUTCOME_TABLE_FULL;
}

/* Adds the nodes of the sample's task and states below its stack, if there is room for them. Always 0. */
__noinline int add_states(struct scratch *s, struct cpu_stats *count)
{
	__u32 node;

	if (!s || !count)
		return -1;
	if (opt_async && s->task.name) {
		node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node, s->task.name, INSTR_TASK,
				   s->quota.none);
		s->tree.node = node ?: s->tree.node;
	}
	if (!s->tree.states)
		return 0;
	node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node, CODE_STATES,
			   s->tree.states & INSTR_UNKNOWN, s->quota.none);
	s->tree.node = node ?: s->tree.node;
	return 0;
}

/*
 * Counts the node that was reached, or the lack of room for it. Returns the final outcome. root 0: there was
 * no room for the root itself.
 */
static __always_inline enum outcome count_node(struct scratch *s, struct cpu_stats *count,
					       const struct event event, __u32 root, enum outcome outcome)
{
	if (root && s->tree.node == root) { /* nothing but frames of the interpreter's own */
		outcome = OUTCOME_NO_FRAMES;
		s->tree.node = node_add(count, s->tree.bank, root, outcome);
	}
	if (opt_kernel == KERNEL_MODE_FULL && event.kind != EVENT_CPU)
		s->kernel.in_kernel = 0; /* of a tick before, which had no sample */
	if (s->tree.node) {
		if (opt_native && outcome == OUTCOME_NO_FRAMES)
			native_goal(s, UNWIND_ALL);
		if (opt_native || opt_kernel)
			native_add(s, count, event.kind);
		if (event.kind == EVENT_CPU && ((opt_states && s->tree.states) ||
						(opt_async && s->task.name)))
			add_states(s, count);
		if (event.amount)
			node_count(s->tree.node, event.amount);
		return outcome;
	}
	if (opt_native && event.kind == EVENT_CPU)
		count->native[NATIVE_NO_ROOM]++;
	return count_lost(s, count, event, root);
}

/*
 * Counts the native code that a program without Python is in; all of the thread's frames are the goal.
 * Returns the outcome.
 */
static __always_inline enum outcome count_program(struct scratch *s, struct cpu_stats *count,
						  const struct event event, __u32 root)
{
	s->tree.node = root;
	if (root)
		native_add(s, count, event.kind);
	else if (event.kind == EVENT_CPU)
		count->native[NATIVE_NO_ROOM]++;
	if (s->tree.node == root)
		return count_lost(s, count, event, root);
	if (event.amount)
		node_count(s->tree.node, event.amount);
	return OUTCOME_PROGRAM;
}

#endif
