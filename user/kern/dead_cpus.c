// SPDX-License-Identifier: GPL-2.0-only
#include "kern/dead_cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kern/cpu_times.h"

/* So many in a row are not missing by chance; the kernel's account of a CPU's time is some percent off. */
#define EXPECTED 50

struct dead_cpus {
	int cpus;
	struct mark {
		bool known;
		double busy; /* s */
		__u64 ticks;
	} marks[];
};

int dead_cpus_new(struct dead_cpus **ret, int cpus)
{
	struct dead_cpus *s = calloc(1, sizeof(*s) + cpus * sizeof(s->marks[0]));

	if (!s)
		return -ENOMEM;
	s->cpus = cpus;
	*ret = s;
	return 0;
}

void dead_cpus_free(struct dead_cpus *s)
{
	free(s);
}

void dead_cpus_begin(struct dead_cpus *s)
{
	memset(s->marks, 0, s->cpus * sizeof(s->marks[0]));
}

static bool is_silent(struct mark *m, double busy, __u64 ticks, __u32 frequency)
{
	bool dead = false;

	if (m->known && ticks == m->ticks && busy >= m->busy) {
		if ((busy - m->busy) * frequency < EXPECTED)
			return false;
		dead = true;
	}
	*m = (struct mark){ true, busy, ticks };
	return dead;
}

bool dead_cpus_check(struct dead_cpus *s, const char *stat, const struct cpu_stats *stats, __u32 frequency)
{
	bool any = false;
	struct cpu_times t;

	while (cpu_times_next(&stat, &t))
		if (t.cpu >= 0 && t.cpu < s->cpus)
			any |= is_silent(&s->marks[t.cpu], t.busy,
					 __atomic_load_n(&stats[t.cpu].ticks, __ATOMIC_RELAXED), frequency);
	return any;
}
