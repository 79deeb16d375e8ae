// SPDX-License-Identifier: GPL-2.0-only
#include "kern/silent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Parses one line "cpuN user nice system ...". Seconds that the CPU has spent on programs. */
static bool parse_line(const char *line, int *ret_cpu, double *ret_busy)
{
	unsigned long long user, nice, system;

	if (line[3] < '0' || line[3] > '9') /* the sum of all */
		return false;
	if (sscanf(line, "cpu%d %llu %llu %llu", ret_cpu, &user, &nice, &system) != 4)
		return false;
	*ret_busy = (double)(user + nice + system) / sysconf(_SC_CLK_TCK);
	return true;
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

	for (const char *line = stat; line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		double busy;
		int cpu;

		if (strncmp(line, "cpu", 3)) /* other lines come behind those of the CPUs */
			break;
		if (!parse_line(line, &cpu, &busy) || cpu < 0 || cpu >= s->cpus)
			continue;
		any |= is_silent(&s->marks[cpu], busy, __atomic_load_n(&stats[cpu].ticks, __ATOMIC_RELAXED),
				 frequency);
	}
	return any;
}
