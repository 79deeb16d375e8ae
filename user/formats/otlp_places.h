/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_places.h - stacks in an OTLP dictionary, with their locations, functions and mappings.
 */
#ifndef PYPERF_FORMATS_OTLP_PLACES_H
#define PYPERF_FORMATS_OTLP_PLACES_H

#include <linux/types.h>

#include "base/buf.h"

struct otlp_dictionary;
struct profile;
struct profile_stack;

struct otlp_places {
	const struct profile *profile;
	struct otlp_dictionary *dictionary;
	__u32 *mappings, *functions,
		*locations; /* indices in the dictionary by the profile's ids; 0 = not yet */
	struct buf stack;   /* the one at hand */
};

/* Both are borrowed. 0 or -ENOMEM. otlp_places_close() it in both cases. */
int otlp_places_open(struct otlp_places *places, const struct profile *p, struct otlp_dictionary *d);
void otlp_places_close(struct otlp_places *places);
/* Where a stack is in the dictionary, to which it is added if it is not there. 0 or -ENOMEM. */
int otlp_places_stack(struct otlp_places *places, const struct profile_stack *stack, __u32 *ret_index);

#endif
