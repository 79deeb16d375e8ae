/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_places.h - what the samples of a pprof file refer to: locations, their functions, and the mappings in
 * which they lie.
 */
#ifndef PYPERF_FORMATS_PPROF_PLACES_H
#define PYPERF_FORMATS_PPROF_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#define PPROF_LINES_MAX 64 /* of a location; far above what a place in machine code has */

struct pprof_stream;
struct pprof_strings;
struct profile;
struct profile_location;

/* Whether readers are to find the names of what is in this mapping; 0 = none. */
bool pprof_places_is_bare(const struct profile *p, __u32 mapping);
/* Where the file has a location; 0 = nowhere. One at its mapping's start has no address of its own. */
uint64_t pprof_places_address(const struct profile *p, const struct profile_location *l);

/* Writes all that a profile has. 0 or -ENOMEM, or another -errno of pprof_stream_put(). */
int pprof_places_write(const struct profile *p, const struct pprof_strings *strings,
		       struct pprof_stream *stream);

#endif
