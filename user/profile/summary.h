/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - a profile as a page for a person at a terminal, 100 columns wide: the hottest functions, the
 * hottest lines, who used the CPU (processes, or threads when one process has most of it). Text of foreign
 * processes cannot move the terminal (buf_add_shown()).
 */
#ifndef PYPERF_PROFILE_SUMMARY_H
#define PYPERF_PROFILE_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

#define SUMMARY_WIDTH 100 /* columns; a line is never longer, colour codes not counted */

/*
 * At most `rows` rows a table, and below them what share is under marker frames.
 * Write errors are left in f for ferror(); when memory is short the tables are left out and the page says so.
 */
void summary_print(const struct profile *p, FILE *f, bool colour, int rows);

#endif
