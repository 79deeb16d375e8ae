/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - which home the sampler of a run has: BPF, or, where that is refused, a process that looks at
 * others from outside.
 */
#ifndef PYPERF_RUN_SAMPLER_H
#define PYPERF_RUN_SAMPLER_H

#include "run/agent.h"

/* Fills a->kernel and a->kernel_options. 0, or -errno when it was said why; a->exit_code may be set then. */
int sampler_open(struct agent *a);

#endif
