/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unanalysed.h - ticks that are not in a profile, since nobody knew yet what their process was: said below
 * its tables.
 */
#ifndef PYPERF_VIEWS_UNANALYSED_H
#define PYPERF_VIEWS_UNANALYSED_H

#include <stdio.h>

struct profile;

/* Writes a line, after an empty one, if there were any. */
void unanalysed_print(const struct profile *p, FILE *f);

#endif
