/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaf.h - the last step of a stack: from the node that its Python part led to, to the one that the sample
 * is counted on, with the native part, the task and the states if those are wanted. That one is left in
 * s->tree.node, also where there was no room: sample/end.h counts it.
 */
#ifndef PYPERF_BPF_STACK_LEAF_H
#define PYPERF_BPF_STACK_LEAF_H

#include "bpf/stack/native_leaf.h"
#include "bpf/tree/tree.h"

/*
 * Counts a sample without room below a marker at its root. If there is no room for the marker either, it is
 * counted on the node that the kind of event has for this. Returns the outcome.
 */
static __always_inline enum outcome count_lost(struct scratch *s, struct cpu_stats *count,
					       const enum event_kind kind, __u32 root)
{
	s->tree.node = (root ? node_add(count, s->tree.bank, root, OUTCOME_TABLE_FULL) : 0) ?: kind;
	return OUTCOME_TABLE_FULL;
}

/* The sample has no attribute yet. */
static __always_inline void attributes_begin(struct scratch *s)
{
	for (int i = 0; i < ATTRIBUTES_OF_TICKS; i++)
		s->attribute[i] = 0;
}

/*
 * Adds a node below the sample's stack, if there is room for it. Always 0. A global function: the verifier
 * looks at it once, for all attributes.
 */
__noinline int add_attribute(struct scratch *s, struct cpu_stats *count, enum attribute attribute,
			     __u32 value)
{
	__u32 node;

	if (!s || !count)
		return -1;
	node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node, attribute_code(attribute, value),
			   attribute_instr(value), s->quota.none);
	s->tree.node = node ?: s->tree.node;
	return 0;
}

static __always_inline void add_attributes(struct scratch *s, struct cpu_stats *count)
{
#define ATTRIBUTE(name, option, value, storage, label, help)                                                 \
	if (ATTRIBUTE_IN_##storage == ATTRIBUTE_IN_NODE && option &&                                         \
	    s->attribute[ATTRIBUTE_##name % ATTRIBUTES_OF_TICKS])                                            \
		add_attribute(s, count, ATTRIBUTE_##name,                                                    \
			      s->attribute[ATTRIBUTE_##name % ATTRIBUTES_OF_TICKS]);
#include "bpf/attributes.def"
#undef ATTRIBUTE
}

/*
 * Goes on from the node that the Python frames led to, to the node that counts the sample. Returns the final
 * outcome. root 0: there was no room for the root itself.
 */
static __always_inline enum outcome count_node(struct scratch *s, struct cpu_stats *count,
					       const enum event_kind kind, __u32 root, enum outcome outcome)
{
	if (root && s->tree.node == root) { /* nothing but frames of the interpreter's own */
		outcome = OUTCOME_NO_FRAMES;
		s->tree.node = node_add(count, s->tree.bank, root, outcome);
	}
	if (opt_kernel == KERNEL_MODE_FULL && !event_is_tick(kind))
		s->kernel.in_kernel = 0; /* of a tick before, which had no sample */
	if (s->tree.node) {
		if (opt_native && outcome == OUTCOME_NO_FRAMES)
			native_goal(s, UNWIND_ALL);
		if (opt_native || opt_kernel)
			native_add(s, count, kind);
		if (opt_async && s->await.must && !s->await.seen)
			s->attribute[ATTRIBUTE_TASK] = 0;
		if (event_is_tick(kind))
			add_attributes(s, count);
		return outcome;
	}
	if (opt_native && event_is_tick(kind))
		count->native[NATIVE_NO_ROOM]++;
	return count_lost(s, count, kind, root);
}

/* For a program without Python: adds its native code; all of the thread's frames are the goal. */
static __always_inline enum outcome count_program(struct scratch *s, struct cpu_stats *count,
						  const enum event_kind kind, __u32 root)
{
	s->tree.node = root;
	if (root)
		native_add(s, count, kind);
	else if (event_is_tick(kind))
		count->native[NATIVE_NO_ROOM]++;
	if (s->tree.node == root)
		return count_lost(s, count, kind, root);
	return OUTCOME_PROGRAM;
}

#endif
