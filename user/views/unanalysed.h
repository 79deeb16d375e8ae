/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unanalysed.h - what is not in a profile: ticks of which nobody knew yet what their process was, or may
 * know, and what cannot be seen from outside. It is said below its tables.
 */
#ifndef PYPERF_VIEWS_UNANALYSED_H
#define PYPERF_VIEWS_UNANALYSED_H

#include <stdio.h>

struct profile;

/* Writes a line for each, after an empty one. */
void unanalysed_print(const struct profile *p, FILE *f);

#endif
