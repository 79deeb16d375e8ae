/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_exact.h - turns of an event loop whose ends are all known (events/loop_exact.h). A turn has just its
 * own parts then, and whether it was long is known by its time alone. Those that were not are put together in
 * a turn of their own, as without a pause between them they may be saturation.
 */
#ifndef PYPERF_BPF_EVENTS_TURN_EXACT_H
#define PYPERF_BPF_EVENTS_TURN_EXACT_H

#include "bpf/events/turn_rounds.h"

/* Adds a turn that was not long to those before it. Always 0. A global function, as turn_note(). */
__noinline int exact_add(struct turn *all, const struct turn *t, __u64 now)
{
	if (!all || !t)
		return 0;
	if (!all->begin)
		turn_begin(all, t->begin);
	all->last = now;
	if (!(t->ticked | t->waited | t->lost))
		return 0;
	all->lost += t->lost;
	for (int i = 0; i < TURN_PARTS; i++) {
		if (!t->parts[i].what)
			break;
		turn_note(all, t->parts[i].what, t->generation, (__u64)t->parts[i].units << TURN_UNIT_SHIFT);
	}
	return 0;
}

/* A long turn is none of them, but no pause either. */
static __always_inline void exact_skip(struct turn *all, __u64 ns)
{
	all->last += ns;
	if (all->begin)
		all->begin += ns;
}

/* Those end without being saturation: the loop has slept. */
static __always_inline void exact_drop(struct cpu_stats *count, struct turn *all)
{
	if (all->begin)
		turn_short(count, all->last - all->begin);
	all->begin = 0;
}

/* Always 0. A global function, as turn_note(). */
__noinline int exact_end(struct cpu_stats *count, struct wait *w, struct turn *t, struct turn *all, __u64 now)
{
	const __u64 ns = t ? now - t->begin : 0;

	if (!count || !w || !t || !all || (__s64)ns <= 0)
		return 0;
	if (t->counted || ns >= opt_min_turn) {
		exact_skip(all, ns);
		turn_finish(count, w, t, ns);
		return 0;
	}
	exact_add(all, t, now);
	if (now - all->begin >= TURN_SATURATED) {
		all->cause = WAIT_SATURATED;
		turn_count(count, w, all, now - all->begin);
		all->begin = 0;
	}
	return 0;
}

#endif
