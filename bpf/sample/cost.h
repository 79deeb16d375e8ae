/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cost.h - keeps what samples cost below --budget, on each CPU for itself. Each sample takes its own time. A
 * CPU owes what its samples have cost, less what the budget allows for the time since. When it owes more than
 * about a second's allowance, events are thinned: one of 2, 4, 8, ... is looked at, and stands for as many.
 * Of how many goes by the past, and which one is chance. So neither knows anything of the event, and what
 * stands for others is no different from them.
 *
 * Who costs most is thinned first. The level that a CPU is at, by what it owes, says which part of it the
 * events of one source may cost: waits of one thread, or changes of one process's memory. So who waits now
 * and then is looked at each time, as long as that is not what costs much, whatever others do.
 *
 * Ticks are few, cost little and say most. So they are thinned only when they alone cost more than the
 * budget, while all other events are thinned by what all cost, ticks included. And one of each block of them
 * is looked at, so that those that are missing for another reason are still known. A block is never cut
 * short: where the looks come late there is less to pay for, so that blocks without one would be cut more
 * often than others.
 */
#ifndef PYPERF_BPF_SAMPLE_COST_H
#define PYPERF_BPF_SAMPLE_COST_H

#include "bpf/data/maps.h"

#define COST_GRAIN  (1ULL << 14) /* ns; less is not worth to be worked out, and would be rounded to nothing */
#define COST_LONG   (1ULL << 34) /* ns; after that nothing is owed, whatever it was */
#define COST_SPARE  4		 /* the level from which on nothing is left for what is not thinned */
#define COST_STEPS  4		 /* log2 of the levels by which one more free allowance owed would raise it */
#define COST_USUAL  2000	 /* ns that a look is taken to cost before there was any, ... */
#define CYCLE_USUAL 8000000	 /* ... and ns from one event to the next */

#define PACE_OVER    3 /* averages are over so many events, as a shift */
#define CYCLE_SHIFT  10
#define CYCLE_MAX    (1 << 24) /* after the shift: 17 s */
#define COST_MAX     (1 << 24) /* ns: 17 ms */
#define WEIGHT_SHIFT 15	       /* log2 of the most that one stands for */

/* Takes off what has been allowed since. */
static __always_inline void cost_allow(struct cost *c, __u64 now)
{
	__u64 passed = now - c->at, allowed;

	if ((__s64)passed < (__s64)COST_GRAIN)
		return;
	passed = passed < COST_LONG ? passed : COST_LONG;
	allowed = passed * rates.budget >> COST_SHIFT;
	c->owed = c->owed > allowed ? c->owed - allowed : 0;
	c->at = now;
}

/* A sample has cost ns, up to now. One that interrupts this may be lost: then a little more is allowed. */
static __always_inline void cost_add(struct cost *c, __u64 now, __u64 ns)
{
	cost_allow(c, now);
	c->owed += ns;
}

/* A sample of this kind has cost what has passed since begin. Returns how much that is. */
static __always_inline __u64 cost_charge(struct scratch *s, struct cpu_stats *count,
					 const enum event_kind kind, __u64 begin)
{
	const __u64 now = bpf_ktime_get_ns();

	count->cost_ns += now - begin;
	cost_add(&s->cost.all, now, now - begin);
	if (event_is_tick(kind))
		cost_add(&s->cost.ticks, now, now - begin);
	return now - begin;
}

/* How far events are thinned: 0 = not at all. */
static __always_inline __u32 cost_level(struct cost *c, __u64 now, __u32 most)
{
	const __u32 free = rates.budget_free & 63;
	__u64 level;

	cost_allow(c, now);
	if (c->owed <= 1ULL << free)
		return 0;
	level = 1 + ((c->owed - (1ULL << free)) >> (free - COST_STEPS));
	return level < most ? level : most;
}

/* Whether there is something left for what is not thinned by itself. */
static __always_inline int cost_is_spare(struct scratch *s, __u64 now)
{
	return !opt_budget || cost_level(&s->cost.all, now, COST_LEVELS) < COST_SPARE;
}

/* Something that has no clock of its own is taken to have cost ns. */
static __always_inline void cost_flat(struct scratch *s, struct cpu_stats *count, __u64 now, __u64 ns)
{
	if (!opt_budget)
		return;
	count->cost_ns += ns;
	cost_add(&s->cost.all, now, ns);
}

/*
 * Of how many events of a source one may be looked at, so that they cost no more than that may at this level:
 * log2. A function of its own to the verifier, for which the result is any number.
 */
__noinline __u32 pace_shift(__u32 cycle, __u32 cost, __u32 level)
{
	__u32 shift = 0;
	__u64 ns, wanted, ratio;

	if (!level)
		return 0;
	ns = cycle ? (__u64)cycle << (CYCLE_SHIFT - PACE_OVER) : CYCLE_USUAL;
	wanted = (__u64)(cost ? cost >> PACE_OVER : COST_USUAL) << (level & 15);
	ratio = wanted / ((ns * rates.budget >> COST_SHIFT) + 1);
	for (__u32 step = 16; step; step >>= 1)
		if (ratio >> (shift + step))
			shift += step;
	shift += ratio > 0;
	return shift < WEIGHT_SHIFT ? shift : WEIGHT_SHIFT;
}

/* The average of what looks have cost, one of which has just cost ns. */
static __always_inline __u32 cost_learn(__u32 average, __u64 ns)
{
	const __u32 cost = ns < COST_MAX ? ns : COST_MAX;

	return average ? average - (average >> PACE_OVER) + cost : cost << PACE_OVER;
}

/* Learns that ns have passed since the event before. */
static __always_inline void pace_pass(struct pace *p, __u64 ns)
{
	const __u32 cycle = ns >> CYCLE_SHIFT < CYCLE_MAX ? ns >> CYCLE_SHIFT : CYCLE_MAX;

	p->cycle = p->cycle ? p->cycle - (p->cycle >> PACE_OVER) + cycle : (cycle << PACE_OVER) + 1;
}

/* ... and that a look has cost ns. */
static __always_inline void pace_learn(struct pace *p, __u64 ns)
{
	p->cost = cost_learn(p->cost, ns);
}

/* Chance: 1 of 2^shift events is looked at. For how many it stands; 0: it is not looked at. */
static __always_inline __u32 chance_next(__u32 shift)
{
	const __u32 weight = 1U << (shift & 15);

	return shift && bpf_get_prandom_u32() & (weight - 1) ? 0 : weight;
}

/* The same at a switch, where each ns counts: xorshift64, in place of a call of the kernel. */
static __always_inline __u32 chance_quick(__u64 *random, __u32 shift)
{
	const __u32 weight = 1U << (shift & 15);
	__u64 x = *random;

	if (!shift)
		return weight;
	x = x ?: 1 | (__u64)bpf_get_prandom_u32() << 32;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*random = x;
	return x >> 32 & (weight - 1) ? 0 : weight;
}

/* The same for the next tick of a block, or the first one of the next block, which then has 2^shift. */
static __always_inline __u32 turns_next(struct turns *t, __u32 shift)
{
	if (!t->left) {
		t->weight = t->left = 1U << (shift & 15);
		t->pick = 1 + (shift ? bpf_get_prandom_u32() & (t->weight - 1) : 0);
	}
	return t->left-- == t->pick ? t->weight : 0;
}

#endif
