// SPDX-License-Identifier: GPL-2.0-only
#include "kern/silent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kern/cpu_times.h"

/* So many in a row are not missing by chance; the kernel's account of a CPU's time is some percent off. */
#define EXPECTED 50

struct silent {
	int cpus;
	struct mark {
		bool known;
		double busy; /* s */
		__u64 ticks;
	} marks[];
};

int silent_new(struct silent **ret, int cpus)
{
	struct silent *s = calloc(1, sizeof(*s) + cpus * sizeof(s->marks[0]));

	if (!s)
		return -ENOMEM;
	s->cpus = cpus;
	*ret = s;
	return 0;
}

void silent_free(struct silent *s)
{
	free(s);
}

void silent_begin(struct silent *s)
{
	memset(s->marks, 0, s->cpus * sizeof(s->marks[0]));
}

static bool is_silent(struct mark *m, double busy, __u64 ticks, __u32 frequency)
{
	bool silent = false;

	if (m->known && ticks == m->ticks && busy >= m->busy) {
		if ((busy - m->busy) * frequency < EXPECTED)
			return false;
		silent = true;
	}
	*m = (struct mark){ true, busy, ticks };
	return silent;
}

bool silent_check(struct silent *s, const char *stat, const struct cpu_stats *stats, __u32 frequency)
{
	bool any = false;
	struct cpu_times t;

	while (cpu_times_next(&stat, &t))
		if (t.cpu >= 0 && t.cpu < s->cpus)
			any |= is_silent(&s->marks[t.cpu], t.busy,
					 __atomic_load_n(&stats[t.cpu].ticks, __ATOMIC_RELAXED), frequency);
	return any;
}
