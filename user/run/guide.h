/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guide.h - guide.def as a table.
 */
#ifndef PYPERF_RUN_GUIDE_H
#define PYPERF_RUN_GUIDE_H

#include <stddef.h>

struct guide_row {
	const char *question, *command, *page;
};

extern const struct guide_row guide_rows[];
extern const size_t guide_count;

#endif
