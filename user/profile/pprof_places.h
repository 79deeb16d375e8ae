/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_places.h - what the samples of a pprof file refer to: locations, their functions, and the mappings in
 * which they lie.
 */
#ifndef PYPERF_PROFILE_PPROF_PLACES_H
#define PYPERF_PROFILE_PPROF_PLACES_H

struct pprof_stream;
struct pprof_strings;
struct profile;

/* Writes all that a profile has. 0 or -ENOMEM, or another -errno of pprof_stream_put(). */
int pprof_places_write(const struct profile *p, const struct pprof_strings *strings,
		       struct pprof_stream *stream);

#endif
