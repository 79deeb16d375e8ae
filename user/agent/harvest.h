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

/* Everything that was counted since the kernel side was loaded. Returns 0 or -ENOMEM. */
int harvest(const struct kernel_tables *tables, struct codes *codes, const struct registry *registry,
	    const struct profile_info *info, struct profile **ret, struct harvest_stats *ret_stats);

#endif
