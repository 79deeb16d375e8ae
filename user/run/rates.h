/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rates.h - how many samples are taken and what they may cost, which a reload changes (--frequency and
 * --budget); and how much time the ticks of a run stand for, whatever rate they had.
 */
#ifndef PYPERF_RUN_RATES_H
#define PYPERF_RUN_RATES_H

#include <stdbool.h>
#include <linux/types.h>

struct agent;
struct tick_counts;

struct rates_so_far {
	bool waits;	/* what the options say is still to be taken */
	__u64 came, ns; /* ticks until the rate changed last, and the time that they stand for */
};

/* The rate is that of the kernel side's options. */
void rates_begin(struct agent *a);
/* Fits count_ticks of struct windows. */
void rates_count(void *agent, struct tick_counts *ret);
/* ns that a tick of the run stands for, as a mean. */
double rates_tick_ns(const struct agent *a);
/* The options have other rates: they are taken now, or once the interval is passed on that ends for it. */
void rates_set(struct agent *a);
/* To be called each second, for those that wait. Logs. */
void rates_check(struct agent *a);

#endif
