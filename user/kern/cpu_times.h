/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu_times.h - how long each CPU has worked since the machine started, by the text of /proc/stat. */
#ifndef PYPERF_KERN_CPU_TIMES_H
#define PYPERF_KERN_CPU_TIMES_H

#include <stdbool.h>

struct cpu_times {
	int cpu;
	double busy;  /* s, on programs: interrupts of an idle CPU do not count */
	double whole; /* s, idle or not */
};

/*
 * The next CPU that is online. *at is the text at first, and moves behind what was taken. False when there is
 * none any more.
 */
bool cpu_times_next(const char **at, struct cpu_times *ret);

#endif
