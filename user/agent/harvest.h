/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harvest.h - from the kernel's call tree to a profile: walks from every counted node to its root and asks for
 * names and lines only of the frames on the way.
 */
#ifndef PYPERF_AGENT_HARVEST_H
#define PYPERF_AGENT_HARVEST_H

#include "agent/registry.h"
#include "kern/kernel.h"
#include "profile/profile.h"
#include "python/codes.h"

struct harvest_stats {
	__u64 samples;	 /* put into the profile */
	__u64 nodes;	 /* in use */
	__u64 locations; /* distinct (code object, instruction) of the frames on the way */
};

/* Where a profile's parts come from. */
struct harvest_source {
	const struct kernel_tables *tables;
	struct codes *codes;
	const struct registry *registry;
};

/*
 * Adds to the profile what was counted since the counts were those in since (node_count of them; NULL: since the
 * kernel side was loaded). until, if not NULL, gets the counts up to which it did; it may be the same array. Returns
 * 0, or -ENOMEM: then the profile has a part, and until says which.
 */
int harvest(const struct harvest_source *source, const __u64 *since, __u64 *until, struct profile *profile,
	    struct harvest_stats *ret_stats);

#endif
