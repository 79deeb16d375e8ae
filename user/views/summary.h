/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - a profile as a page for a person at a terminal, 100 columns wide. It has the hottest functions,
 * the hottest lines, and who used the CPU: processes, or threads when one process has most of it. Texts of
 * foreign processes cannot do anything to the terminal (buf_add_shown()).
 */
#ifndef PYPERF_VIEWS_SUMMARY_H
#define PYPERF_VIEWS_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

#define SUMMARY_WIDTH 100 /* columns; a line is never longer, colour codes not counted */

/*
 * Prints at most `rows` rows of each table, and below them what share of the samples is under marker frames.
 * Errors of writing are left in f for ferror(). When memory is short the tables are left out, and the page
 * says so.
 */
void summary_print(const struct profile *p, FILE *f, bool colour, int rows);

#endif
