/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - tells the programs what all samples may cost (bpf/sample/cost.h).
 */
#ifndef PYPERF_KERN_BUDGET_H
#define PYPERF_KERN_BUDGET_H

#include <linux/types.h>

struct pyperf;

/* Before the programs are loaded. budget: a part of each CPU, 1 at most; 0 = no limit. frequency: ticks' */
void budget_prepare(struct pyperf *skel, double budget, __u32 frequency);

#endif
