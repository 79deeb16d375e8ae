// SPDX-License-Identifier: GPL-2.0-only
#include "kern/budget.h"

#include "base/clock.h"
#include "bpf/abi.h"
#include "bpf/data/budget.h"
#include "pyperf.skel.h"

#define TICKS_KEPT 8 /* of a CPU in a second, however much they cost: fewer would say nothing */

static __u8 log2_of(__u64 n)
{
	return n ? 63 - __builtin_clzll(n) : 0;
}

void budget_change(struct rates *rates, double budget, __u32 frequency)
{
	const __u8 levels = log2_of(frequency / TICKS_KEPT);

	rates->budget = budget * (1 << COST_SHIFT);
	rates->budget_free = log2_of(budget * NS_PER_SECOND);
	rates->tick_levels = levels < COST_LEVELS ? levels : COST_LEVELS;
}

void budget_prepare(struct pyperf *s, double budget, __u32 frequency)
{
	s->rodata->opt_budget = budget > 0;
	budget_change(&s->bss->rates, budget, frequency);
}
