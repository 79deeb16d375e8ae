/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harvest.h - from the kernel's call tree to a profile: walks from every counted node to its root and asks
 * for names and lines only of the frames on the way.
 */
#ifndef PYPERF_TREE_HARVEST_H
#define PYPERF_TREE_HARVEST_H

#include <stdbool.h>

#include "bpf/abi.h"
#include "tree/endpoints.h"
#include "tree/harvest_inputs.h"
#include "tree/harvest_span.h"
#include "tree/lines_met.h"
#include "tree/tick_times.h"

struct profile;
struct profile_info;

#define PROFILE_BYTES (144 << 20) /* of the bounds in docs/security.md */

struct harvest_stats {
	__u64 samples[EVENT_KINDS]; /* put into the profile, in the unit of their kind */
	__u64 nodes;		    /* in use */
	__u64 locations;	    /* distinct (code object, instruction) of the frames on the way */
	__u64 dropped;	      /* of samples, those whose stacks were [dropped]: the profile was too large */
	__u64 more_endpoints; /* stacks whose endpoint is none of those that the profile has a name for */
};

/* More of the same tree: what follows sum. */
void harvest_stats_add(struct harvest_stats *sum, const struct harvest_stats *more);
/* Nothing of any kind. */
bool harvest_is_empty(const struct harvest_stats *stats);

/* How far a harvest has come that is done in parts. Begins as 0. */
struct harvest_progress {
	__u32 next;		    /* the node that it goes on with */
	__u32 *location_of;	    /* by node, what its frame is in the profile; NULL = not begun */
	struct lines_met lines;	    /* of all of them */
	struct endpoints endpoints; /* by node, if they are wanted */
	struct tick_times times;    /* of a profile whose CPU time is that of the account */
	struct harvest_stats stats;
};

/* The names of pods' labels, for a profile that harvest() is to fill. */
void harvest_label_names(const struct harvest_inputs *inputs, struct profile_info *info);

/*
 * Adds to the profile what was counted in that span, of the kinds of events that the profile is of. Returns
 * 0, or -ENOMEM: then the profile has a part, span->ret says which, and progress begins anew. -EAGAIN: it has
 * paused, and is to be called again with the same span but for pause_ns, a profile with what it has so far,
 * and counts that have not gone down.
 */
int harvest(const struct harvest_inputs *inputs, const struct harvest_span *span, struct profile *profile,
	    struct harvest_stats *ret_stats);
/* Looks at all nodes again; after the span's counts were changed. */
void harvest_again(struct harvest_progress *p);
/* These nodes are about to be cleared, or have been. */
void harvest_forget(struct harvest_progress *p, struct kernel_range nodes);
/* Gives up a harvest that has paused, or none. */
void harvest_end(struct harvest_progress *p);

#endif
