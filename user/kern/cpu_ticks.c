// SPDX-License-Identifier: GPL-2.0-only
#include "kern/cpu_ticks.h"

#include <errno.h>
#include <stdlib.h>

#include "kern/cpu_times.h"
#include "kern/object.h"

struct cpu_ticks {
	int cpus;
	struct account {
		bool seen;
		bool known; /* at says when it was looked at */
		double at;  /* s, of the CPU's own time */
		double expected;
		__u64 came;
	} accounts[];
};

int cpu_ticks_new(struct cpu_ticks **ret, int cpus)
{
	struct cpu_ticks *c = calloc(1, sizeof(*c) + cpus * sizeof(c->accounts[0]));

	if (!c)
		return -ENOMEM;
	c->cpus = cpus;
	*ret = c;
	return 0;
}

void cpu_ticks_free(struct cpu_ticks *c)
{
	free(c);
}

void cpu_ticks_begin(struct cpu_ticks *c)
{
	for (int i = 0; i < c->cpus; i++)
		c->accounts[i].known = false;
}

void cpu_ticks_look(struct cpu_ticks *c, const char *stat, const struct cpu_stats *stats, bool idle,
		    __u32 frequency)
{
	struct cpu_times t;

	while (cpu_times_next(&stat, &t)) {
		const double at = idle ? t.whole : t.busy;
		struct account *a;

		if (t.cpu < 0 || t.cpu >= c->cpus)
			continue;
		a = &c->accounts[t.cpu];
		if (a->known && at > a->at)
			a->expected += (at - a->at) * frequency;
		a->seen = a->known = true;
		a->at = at;
		a->came = __atomic_load_n(&stats[t.cpu].ticks, __ATOMIC_RELAXED);
	}
}

int cpu_ticks_count(const struct cpu_ticks *c)
{
	return c->cpus;
}

bool cpu_ticks_get(const struct cpu_ticks *c, int cpu, __u64 *ret_came, double *ret_expected)
{
	if (cpu < 0 || cpu >= c->cpus || !c->accounts[cpu].seen)
		return false;
	*ret_came = c->accounts[cpu].came;
	*ret_expected = c->accounts[cpu].expected;
	return true;
}

const struct cpu_ticks *kernel_cpu_ticks(const struct kernel *k)
{
	return k->cpu_ticks;
}
