/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outside.h - which options cannot be had where the sampler looks from outside.
 */
#ifndef PYPERF_OPTIONS_OUTSIDE_H
#define PYPERF_OPTIONS_OUTSIDE_H

#include "options/options.h"

/* The first of them that is asked for, and why it cannot; NULL = there is none. */
const char *outside_lack(const struct options *o, const char **ret_why);

#endif
