/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_carried.h - the books of a profile that is pushed, as samples (profile/carried.h).
 */
#ifndef PYPERF_FORMATS_PPROF_CARRIED_H
#define PYPERF_FORMATS_PPROF_CARRIED_H

#include "profile/carried.h"

/* What they take at most in pprof: of each a name, a function, a location and a sample; and of 0 a byte in
 * each other sample, of which a receiver takes 16,000. */
#define PPROF_CARRIED_BYTES (CARRIED_MAX * (CARRIED_NAME_SIZE + 128) + 16000)

struct pprof_header;
struct pprof_stream;

/* Writes their samples, locations and functions, whose ids follow those of the profile. 0 or -errno. */
int pprof_carried_write(const struct pprof_header *h, struct pprof_stream *stream);

#endif
