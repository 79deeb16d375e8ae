/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_clocks.h - how long ago a thread last ran. The kernel notes that on a clock of the CPU on which it
 * ran (se.exec_start in /proc/PID/sched), and these clocks stand still while an interrupt, or another guest
 * of the same machine, has their CPU: after a day they are seconds apart. So each is read on its CPU.
 */
#ifndef PYPERF_PROC_SCHED_CLOCKS_H
#define PYPERF_PROC_SCHED_CLOCKS_H

#include <stddef.h>
#include <linux/types.h>

struct sched_clocks {
	size_t count;
	__s64 *behind;	      /* of each CPU, by how many ns CLOCK_MONOTONIC is ahead of its clock */
	unsigned char *known; /* the CPUs whose clock could be read */
};

/*
 * Goes to each CPU that this thread may use, for some 100 us each, and back. Without CONFIG_SCHED_DEBUG no
 * clock is known. 0 or -ENOMEM. sched_clocks_free() in any case.
 */
int sched_clocks_read(struct sched_clocks *ret);
void sched_clocks_free(struct sched_clocks *c);

/*
 * How many ns before the moment `now`, of CLOCK_MONOTONIC, a thread ran on that CPU whose clock then said
 * `ran`. 0 = it is not known.
 */
__u64 sched_clocks_since(const struct sched_clocks *c, int cpu, __u64 ran, __u64 now);

/* se.exec_start, in ns, in the text of a sched file; 0 = it has none. */
__u64 sched_clocks_parse(const char *text);

#endif
