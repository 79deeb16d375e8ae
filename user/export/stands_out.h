/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stands_out.h - the first lines of the summary of a run: what stands out in its profile, if anything does.
 */
#ifndef PYPERF_EXPORT_STANDS_OUT_H
#define PYPERF_EXPORT_STANDS_OUT_H

#include <stdbool.h>
#include <stdio.h>

struct profile;

/*
 * The sentences are those of `pyperf-bpf report --findings` of the profile's file. path: of that, for the
 * commands; NULL = there is none. What cannot be had, as without memory, is left out.
 */
void stands_out_print(const struct profile *p, const char *path, FILE *f, bool colour);

#endif
