/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - tells the programs what all samples may cost (bpf/sample/cost.h).
 */
#ifndef PYPERF_KERN_BUDGET_H
#define PYPERF_KERN_BUDGET_H

#include <linux/types.h>

struct pyperf;
struct rates;

/* Before the programs are loaded. budget: a part of each CPU, 1 at most; 0 = no limit. frequency: ticks' */
void budget_prepare(struct pyperf *skel, double budget, __u32 frequency);
/* The same for what may change later, of one that had a limit before they were loaded and has one now. */
void budget_change(struct rates *rates, double budget, __u32 frequency);

#endif
