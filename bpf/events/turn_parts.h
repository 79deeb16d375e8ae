/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_parts.h - what a turn of an event loop consists of (events/loop_turn.h): the nodes of its ticks and
 * waits, and the time of each. Only the thread's own ticks and switches touch it, one at a time.
 */
#ifndef PYPERF_BPF_EVENTS_TURN_PARTS_H
#define PYPERF_BPF_EVENTS_TURN_PARTS_H

#include "bpf/events/wait.h"

#define PART_OUTCOME_SHIFT NODE_BITS
#define PART_OUTCOME_BITS  6
#define PART_TICK	   (1U << 31)

_Static_assert(PART_OUTCOME_SHIFT + PART_OUTCOME_BITS <= 31, "an outcome stands above a node's number");
_Static_assert(OUTCOME_COUNT <= 1 << PART_OUTCOME_BITS, "each outcome has a number");

/* Names a part of a turn. node: where it is counted as what it is, a tick or a wait; not 0. */
static __always_inline __u32 part_make(__u32 node, __u32 outcome, int is_tick)
{
	return node | outcome << PART_OUTCOME_SHIFT | (is_tick ? PART_TICK : 0);
}

/* The parts that there are belong to a tree that was emptied. */
static __always_inline void turn_renew(struct turn *t, __u32 generation)
{
	t->lost += t->ticked + t->waited;
	t->ticked = t->waited = 0;
	t->generation = generation;
	__builtin_memset(t->parts, 0, sizeof(t->parts));
}

/*
 * Where a part goes: to the one that it is the same as, else to a free one. When there is none, to any. Then
 * chance decides whose the sum is, so that each has its share over many turns.
 */
static __always_inline void turn_place(struct turn *t, __u32 what, __u32 units)
{
	struct turn_part *p;
	__u32 random, sum;

	for (int i = 0; i < TURN_PARTS; i++) {
		p = &t->parts[i];
		if (p->what && p->what != what)
			continue;
		p->what = what;
		p->units += units;
		return;
	}
	random = bpf_get_prandom_u32();
	p = &t->parts[random & (TURN_PARTS - 1)];
	sum = p->units + units;
	if (((__u64)(random >> 8) * sum) >> 24 < units)
		p->what = what;
	p->units = sum;
}

/*
 * Adds time to a turn. generation: of the tree that the part's node is in. Always 0. A global function, to
 * which the verifier looks once.
 */
__noinline int turn_note(struct turn *t, __u32 what, __u32 generation, __u64 ns)
{
	const __u64 units = ns >> TURN_UNIT_SHIFT;

	if (!t)
		return 0;
	if (!what) {
		t->lost += units;
		return 0;
	}
	if (t->generation != generation)
		turn_renew(t, generation);
	if (what & PART_TICK)
		t->ticked += units;
	else
		t->waited += units;
	turn_place(t, what, units);
	return 0;
}

/* What comes from now on is counted anew. */
static __always_inline void turn_restart(struct turn *t, __u64 now)
{
	t->begin = now;
	t->changes = 0;
	t->ready = 0;
	t->ticked = t->waited = t->lost = 0;
	t->generation = *(volatile __u32 *)&tree_generation;
	__builtin_memset(t->parts, 0, sizeof(t->parts));
}

static __always_inline void turn_begin(struct turn *t, __u64 now)
{
	turn_restart(t, now);
	t->left = 0;
	t->leaves = 0;
	t->counted = 0;
	t->cause = WAIT_TURN;
	t->first = t->last = 0;
}

/* Counts time of a turn on this node; 0 = there was no room for it. */
static __always_inline void turn_sample(struct cpu_stats *count, __u32 node, __u32 outcome, __u64 ns)
{
	sample_end(count, EVENT_LOOP, node ?: EVENT_LOOP, node ? outcome : OUTCOME_TABLE_FULL, ns);
}

/* ... of a turn that is not long. */
static __always_inline void turn_short(struct cpu_stats *count, __u64 ns)
{
	sample_end(count, EVENT_LOOP, 0, OUTCOME_TURN_SHORT, ns);
}

/* Time that has no part is below a marker. */
static __always_inline void turn_mark(struct cpu_stats *count, struct wait *w, struct turn *t, __u64 ns)
{
	const __u32 bank = bank_of(*(volatile __u32 *)&tree_generation);
	__u32 node = wait_marker(count, w, WAIT_ASLEEP, OUTCOME_TURN_UNSEEN);

	node = wait_cause(count, bank, node, t->cause);
	turn_sample(count, node, OUTCOME_TURN_UNSEEN, ns);
}

#define TURN_ROUNDING (2 * TURN_PARTS << TURN_UNIT_SHIFT) /* ns */

/* What a part has of a turn. Less than what is lost by rounding is not left over. */
static __always_inline __u64 part_ns(const struct turn *t, const struct turn_part *p)
{
	__u64 units = p->units, ns;

	if (p->what & PART_TICK)
		units = t->ticked ? units * t->shared / t->ticked : 0;
	ns = units << TURN_UNIT_SHIFT;
	return ns + TURN_ROUNDING < t->unplaced ? ns : t->unplaced;
}

/* Counts part i of a turn. Not 0 behind the last one. A global function, as turn_note(). */
__noinline int turn_count_part(struct cpu_stats *count, struct turn *t, __u32 i)
{
	const __u32 bank = bank_of(*(volatile __u32 *)&tree_generation);
	const struct turn_part *p;
	__u32 node, outcome;
	__u64 ns;

	mem_opaque(i);
	if (!count || !t || i >= TURN_PARTS)
		return 1;
	p = &t->parts[i];
	if (!p->what)
		return 1;
	outcome = p->what >> PART_OUTCOME_SHIFT & ((1 << PART_OUTCOME_BITS) - 1);
	ns = part_ns(t, p);
	t->unplaced -= ns;
	node = wait_cause(count, bank, p->what & ((1 << NODE_BITS) - 1), t->cause);
	if (node && t->ready && t->cause == WAIT_TURN)
		node = node_intern(count, bank, node_home(node), node,
				   attribute_code(ATTRIBUTE_READY, t->ready), attribute_instr(t->ready), 0);
	turn_sample(count, node, outcome, ns);
	return 0;
}

/*
 * Counts ns of a turn, as t->cause: waits have the time that was measured, ticks share the rest. Always 0. A
 * global function, as turn_note().
 */
__noinline int turn_count(struct cpu_stats *count, struct wait *w, struct turn *t, __u64 ns)
{
	const __u32 generation = *(volatile __u32 *)&tree_generation;
	const __u64 units = ns >> TURN_UNIT_SHIFT;

	if (!count || !w || !t)
		return 0;
	if (t->generation != generation)
		turn_renew(t, generation);
	t->shared = units > t->waited + t->lost ? units - t->waited - t->lost : 0;
	t->unplaced = ns;
	t->counted = 1;
	count->turns_long += t->cause == WAIT_TURN;
	count->turns_saturated += t->cause != WAIT_TURN;
	for (int i = 0; i < TURN_PARTS; i++)
		if (turn_count_part(count, t, i))
			break;
	if (t->unplaced)
		turn_mark(count, w, t, t->unplaced);
	return 0;
}

#define TURN_DEEPER 64 /* so many waits in a row below the loop's own, and it is taken to be gone */

/*
 * Whether a wait in epoll is the loop's own. Code that the loop has called may wait in epoll as well, as a
 * client that has a loop of its own does; but from further down the stack. A loop that was found while it was
 * in such a call proves to be the other one when it next sleeps, and one that has ended is replaced by the
 * next one after a while.
 */
static __always_inline int turn_is_own(struct turn *t, __u64 stack_pointer)
{
	if (t->stack_pointer > stack_pointer && ++t->deeper < TURN_DEEPER)
		return 0;
	if (t->stack_pointer != stack_pointer)
		t->begin = 0; /* that was a turn of another loop */
	t->stack_pointer = stack_pointer;
	t->deeper = 0;
	return 1;
}

#endif
