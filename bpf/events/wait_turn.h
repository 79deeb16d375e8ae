/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait_turn.h - whose stack is taken when a wait begins, so that looks cost no more than --budget, and no
 * time goes into waits that are too short to be shown. The source of what they cost is the thread.
 */
#ifndef PYPERF_BPF_EVENTS_WAIT_TURN_H
#define PYPERF_BPF_EVENTS_WAIT_TURN_H

#include "bpf/events/wait.h"
#include "bpf/sample/cost.h"

/* Learns that the thread waits again. Its wait before is still in the entry. */
static __always_inline void wait_pass(struct wait *w, __u64 now)
{
	if (opt_budget && w->begin && now > w->begin)
		pace_pass(&w->pace, now - w->begin);
}

/*
 * For how many waits the one that begins stands, if its stack is to be taken; else 0. It is not inlined, nor
 * is what a look costs: what they keep would be on the BPF stack while one is taken, of which kernel 6.1 has
 * no more.
 */
static __noinline __u32 wait_turn(struct wait *w, struct scratch *s, struct cpu_stats *count)
{
	const __u32 level = opt_budget ? cost_level(&s->cost.all, w->begin, COST_LEVELS) : 0;
	const __u32 usual = wait_shift(w);
	const __u32 thinned = level ? pace_shift(w->pace.cycle, w->pace.cost, level) : 0; /* a call costs */
	__u32 weight;

	if (opt_loop && s->turn.first && level < COST_SPARE)
		return 1;
	weight = chance_quick(&s->cost.random, thinned > usual ? thinned : usual);
	if (thinned > usual && !weight)
		count->waits_thinned++;
	return weight;
}

/* The stack of a wait was taken. */
static __noinline void wait_charge(struct wait *w, struct scratch *s, struct cpu_stats *count)
{
	pace_learn(&w->pace, cost_charge(s, count, EVENT_OFFCPU, s->cost.look));
}

#endif
