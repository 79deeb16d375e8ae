// SPDX-License-Identifier: GPL-2.0-only
#include "run/rates.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "kern/cpu_ticks.h"
#include "kern/kernel.h"
#include "kern/stats.h"
#include "run/agent.h"
#include "stats/run_stats.h"
#include "tree/weight.h"

static void take(struct agent *a, __u32 frequency, double budget)
{
	a->kernel_options.frequency = a->facts.frequency = a->windows.frequency = frequency;
	a->facts.budget = budget;
}

void rates_begin(struct agent *a)
{
	take(a, a->kernel_options.frequency, a->kernel_options.budget);
}

static __u64 time_of(const struct agent *a, __u64 came)
{
	return a->rates.ns + (came - a->rates.came) * (NS_PER_SECOND / a->facts.frequency);
}

void rates_count(void *agent, struct tick_counts *ret)
{
	const struct agent *a = agent;
	struct kernel_stats s;

	kernel_stats(a->kernel, &s);
	*ret = (struct tick_counts){
		.came = s.sum.ticks,
		.expected = kernel_expected(a->kernel),
		.ns = time_of(a, s.sum.ticks),
		.frequency = a->facts.frequency,
		.unanalysed = s.sum.outcome[EVENT_CPU][OUTCOME_NEW_PROCESS],
		.forbidden = s.sum.outcome[EVENT_CPU][OUTCOME_FORBIDDEN],
	};
	full_tables_count(&s.sum, ret->full);
	for (int cpu = 0; cpu < WEIGHT_CPUS; cpu++) {
		double expected;

		if (cpu_ticks_get(kernel_cpu_ticks(a->kernel), cpu, &ret->cpus[cpu].came, &expected))
			ret->cpus[cpu].expected = expected;
	}
}

double rates_tick_ns(const struct agent *a)
{
	struct kernel_stats s;

	kernel_stats(a->kernel, &s);
	return s.sum.ticks ? (double)time_of(a, s.sum.ticks) / s.sum.ticks : 0;
}

/* What was counted until now had the rate until now. */
static void change(struct agent *a)
{
	struct options *o = a->options;
	const double budget = o->budget_percent / 100;
	__u32 frequency;
	struct kernel_stats s;
	__u64 ns;
	int err;

	kernel_stats(a->kernel, &s);
	ns = time_of(a, s.sum.ticks);
	err = kernel_set_rate(a->kernel, o->frequency, budget, &frequency);
	a->rates.came = s.sum.ticks;
	a->rates.ns = ns;
	take(a, frequency, budget);
	if (err == -EOPNOTSUPP) {
		log_warning("only a restart changes --frequency here: %s", kernel_reason(a->kernel));
		o->frequency = frequency;
		return;
	}
	if (err)
		complain(&a->cpus, "the rate has changed, and no samples are taken: %s",
			 kernel_reason(a->kernel));
	log_info("from now on %u samples per second of each CPU are taken, for at most %g%% of it", frequency,
		 o->budget_percent > 0 ? o->budget_percent : 100);
}

void rates_check(struct agent *a)
{
	if (!a->rates.waits || !continuous_cut(a->continuous))
		return;
	a->rates.waits = false;
	change(a);
}

void rates_set(struct agent *a)
{
	a->rates.waits = true;
	rates_check(a);
}
