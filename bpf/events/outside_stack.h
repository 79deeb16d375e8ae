/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outside_stack.h - puts stacks that user space has looked at into the tree. That of a sleeping thread goes
 * below its wait, which was listed (asleep.h) before the look, and still goes on: so the thread has not run
 * in between, and what was seen is one moment of it. Those of asyncio tasks come with the time that they
 * stand for.
 *
 * User space runs this, one at a time, on a scratch and with counters that are no CPU's: a sample may be
 * taken on this CPU meanwhile.
 */
#ifndef PYPERF_BPF_EVENTS_OUTSIDE_STACK_H
#define PYPERF_BPF_EVENTS_OUTSIDE_STACK_H

#include "bpf/events/offcpu.h"

struct outside_context {
	struct scratch *s;
	struct cpu_stats *count;
	struct outside_stack *g;
};

/*
 * The node for a frame that has a mark instead of a code object. 0 when there is no room, or when nobody
 * knows this mark.
 */
static __always_inline __u32 outside_mark(struct outside_context *c, __u32 mark)
{
	struct scratch *s = c->s;

	if (mark < CODE_WAITS || mark >= CODE_WAITS + WAIT_CAUSES)
		return 0;
	return node_intern(c->count, s->tree.bank, s->tree.home, s->tree.node, mark, INSTR_UNKNOWN,
			   s->quota.none);
}

/* Interns frame number i, from the root on. Returns 0 to go on, 1 when a table is full. */
static long outside_step(__u32 i, struct outside_context *c)
{
	struct scratch *s = c->s;
	struct outside_frame *f;
	struct code *code;
	__u32 index;

	mem_opaque(i);
	if (i >= OUTSIDE_FRAMES)
		return 1;
	f = &c->g->frames[i];
	if (!f->address) {
		s->tree.node = outside_mark(c, f->mark);
		return !s->tree.node;
	}
	index = code_by_fingerprint(s, c->count, code_key(s->who.process, f->address), f->fingerprint);
	code = bpf_map_lookup_elem(&codes, &index);
	s->tree.node = !index || !code ? 0 :
		       node_intern(c->count, s->tree.bank, s->tree.home, s->tree.node, index,
				   f->instr & INSTR_UNKNOWN, s->quota.none);
	if (!s->tree.node || !code)
		return 1;
	f->unnamed = !(__sync_fetch_and_or(&code->state, CODE_SENT) & CODE_SENT);
	f->code = index;
	return 0;
}

/* Leads s->tree.node to the leaf of the stack's Python part, or to where the lack of room is counted. */
static __noinline int outside_intern(struct scratch *s, struct cpu_stats *count, struct outside_stack *g,
				     enum event_kind kind)
{
	struct outside_context c = { s, count, g };
	__u32 root;

	if (!s || !count || !g)
		return OUTCOME_TABLE_FULL;
	root = root_of_other(count, s->tree.bank, kind, s->who.process, g->asleep.tid, g->asleep.start_time,
			     g->asleep.comm);
	s->tree.home = node_home(root);
	s->tree.node = root;
	if (root && g->outcome != OUTCOME_WHOLE)
		s->tree.node = node_add(count, s->tree.bank, root, g->outcome);
	if (s->tree.node)
		bpf_loop(g->depth, outside_step, &c, 0);
	if (s->tree.node)
		return g->outcome;
	s->tree.node = (root ? node_add(count, s->tree.bank, root, OUTCOME_TABLE_FULL) : 0) ?: kind;
	return OUTCOME_TABLE_FULL;
}

/* Makes the spare scratch ready for a stack of this process. */
static __always_inline void outside_begin(struct scratch *s, struct cpu_stats *count,
					  const struct outside_stack *g)
{
	tree_begin(s);
	code_begin(s);
	s->code.epoch = 0;
	s->who.process = g->asleep.process;
	s->who.known_tgid = g->asleep.pid;
	quota_begin(s, count);
}

/* Adds the stack to the tree, and notes in k which nodes it led to. */
static __always_inline void outside_add(struct scratch *s, struct cpu_stats *count, struct outside_stack *g,
					struct wait_stack *k)
{
	outside_begin(s, count, g);
	s->quota.none |= quota_is_half(s->tree.bank);
	*k = (struct wait_stack){ .generation = s->tree.generation, .weight = 1 };
	k->outcome = outside_intern(s, count, g, wait_event(WAIT_ASLEEP));
	find_queue_node(s, count, k, WAIT_WOKEN);
	if (k->outcome != OUTCOME_TABLE_FULL)
		add_cause(s, count, g->asleep.syscall, 0, g->asleep.iowait);
	k->node = s->tree.node;
	quota_end(s, count);
}

/* From now on the wait counts by w->stack[writer], if it is the one that was looked at. */
static __always_inline enum outside_result outside_use(struct wait *w, const struct outside_stack *g,
						       __u32 old, __u32 writer)
{
	for (int i = 0; i < WAIT_TRIES; i++) {
		const __u64 since = *(volatile __u64 *)&w->since;

		if (!since || since_writer(since) != old || w->begin != g->asleep.begin)
			return OUTSIDE_GONE;
		if (__sync_val_compare_and_swap(&w->since, since,
						(since & ~(__u64)SINCE_WRITER) |
							writer << SINCE_WRITER_SHIFT) == since)
			return OUTSIDE_TAKEN;
	}
	return OUTSIDE_GONE;
}

static __always_inline enum outside_result outside_take(struct outside_stack *g)
{
	__u32 spare = opt_spare, old, writer;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &spare);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &spare);
	struct wait *w = wait_of(wait_key(g->asleep.start_time, g->asleep.tid), g->asleep.tid);
	__u64 since = w ? *(volatile __u64 *)&w->since : 0;

	if (!s || !count || !w || !since || w->begin != g->asleep.begin)
		return OUTSIDE_GONE;
	old = since_writer(since);
	writer = old == WAIT_LISTED ? WAIT_LISTED2 : WAIT_LISTED;
	w->process = g->asleep.process;
	outside_add(s, count, g, &w->stack[writer]);
	count->waits_given++;
	return outside_use(w, g, old, writer);
}

/* Counts the time of asyncio tasks, below their stack if it is in the profile. */
static __always_inline void outside_count(struct scratch *s, struct cpu_stats *count, struct outside_stack *g)
{
	__u32 outcome = g->outcome, node = 0;

	if (outcome_is_in_profile(outcome)) {
		outside_begin(s, count, g);
		outcome = outside_intern(s, count, g, EVENT_TASKS);
		node = s->tree.node;
		quota_end(s, count);
	}
	sample_end(count, EVENT_TASKS, node, outcome, g->ns);
}

static __always_inline void outside_tasks(struct outside_stack *g)
{
	__u32 spare = opt_spare;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &spare);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &spare);

	if (!s || !count)
		return;
	count->tasks_looks += g->looks;
	count->tasks_none += g->none;
	if (g->ns)
		outside_count(s, count, g);
}

#endif
