/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory_turn.h - which changes of memory are looked at, so that they cost no more than --budget. The source
 * of what they cost is a process: one that grows and shrinks without pause thins its own steps, and those of
 * others only once what it costs is less than theirs (sample/cost.h).
 */
#ifndef PYPERF_BPF_EVENTS_MEMORY_TURN_H
#define PYPERF_BPF_EVENTS_MEMORY_TURN_H

#include "bpf/data/maps.h"
#include "bpf/sample/cost.h"

/*
 * For how many changes of this memory this one stands; 0: another one stands for it. Threads of the process
 * may be here at the same time, on other CPUs: then an average is a little off.
 */
static __always_inline __u32 memory_turn(struct scratch *s, struct cpu_stats *count, struct memory *m,
					 __u64 now)
{
	const __u32 level = cost_level(&s->cost.all, now, COST_LEVELS);
	__u32 weight;

	if (m->last && now > m->last)
		pace_pass(&m->pace, now - m->last);
	m->last = now;
	weight = chance_next(pace_shift(m->pace.cycle, m->pace.cost, level));
	count->memory_thinned += !weight;
	return weight;
}

/* The look at one has taken what has passed since begin. */
static __always_inline void memory_charge(struct scratch *s, struct cpu_stats *count, struct memory *m,
					  __u64 begin)
{
	pace_learn(&m->pace, cost_charge(s, count, EVENT_MEMORY, begin));
}

#endif
