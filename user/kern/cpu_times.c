// SPDX-License-Identifier: GPL-2.0-only
#include "kern/cpu_times.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 8 /* user nice system idle iowait irq softirq steal; what follows is part of the first two */
#define PROGRAMS 3

/* A line "cpuN user nice system ...". */
static bool parse_line(const char *line, struct cpu_times *ret)
{
	unsigned long long t[COLUMNS] = { 0 };
	const double second = sysconf(_SC_CLK_TCK);
	struct cpu_times times = { 0 };

	if (line[3] < '0' || line[3] > '9') /* the sum of all */
		return false;
	if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &times.cpu, &t[0], &t[1], &t[2],
		   &t[3], &t[4], &t[5], &t[6], &t[7]) < 1 + PROGRAMS)
		return false;
	for (int i = 0; i < COLUMNS; i++) {
		times.busy += i < PROGRAMS ? t[i] / second : 0;
		times.whole += t[i] / second;
	}
	*ret = times;
	return true;
}

bool cpu_times_next(const char **at, struct cpu_times *ret)
{
	bool found = false;

	while (!found && !strncmp(*at, "cpu", 3)) { /* other lines come behind those of the CPUs */
		const char *line = *at, *end = strchr(line, '\n');

		*at = end ? end + 1 : line + strlen(line);
		found = parse_line(line, ret);
	}
	return found;
}
