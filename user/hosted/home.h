/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * home.h - the sampler in a process of its own, which looks at others from outside: where BPF is refused.
 */
#ifndef PYPERF_HOSTED_HOME_H
#define PYPERF_HOSTED_HOME_H

#include "kern/home.h"

extern const struct home home_outside;

#endif
