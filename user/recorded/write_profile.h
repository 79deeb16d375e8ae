/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_profile.h - profiles that were read, as the value that every format and view takes
 * (profile/profile.h). It has what this program knows: its kinds of events, and labels that are texts. What
 * else other programs measure has no place in it; write_pprof.h keeps that.
 */
#ifndef PYPERF_RECORDED_WRITE_PROFILE_H
#define PYPERF_RECORDED_WRITE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

struct profile;
struct recorded;

struct write_profile_wish {
	const bool *takes;	 /* by stack id - 1, or NULL for all */
	const size_t *only_type; /* the sample type whose kind of event alone is wanted; NULL: all kinds */
};

/*
 * The profile borrows texts of r. 0; -ENOMEM; -EINVAL with one line in error: no sample type is of a kind
 * that this program has, or a value is negative, as those of a difference are.
 */
int write_profile(struct recorded *r, const struct write_profile_wish *wish, struct profile **ret,
		  char *error, size_t size);

#endif
