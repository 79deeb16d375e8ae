/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harvest.h - from the kernel's call tree to a profile: walks from every counted node to its root and asks
 * for names and lines only of the frames on the way.
 */
#ifndef PYPERF_TREE_HARVEST_H
#define PYPERF_TREE_HARVEST_H

#include <stdbool.h>

#include "kern/kernel.h"
#include "tree/places.h"

struct codes;
struct natives;
struct pod_label_names;
struct pod_labels;
struct profile;
struct profile_info;
struct registry;

#define PROFILE_BYTES (96 << 20) /* of the bounds in docs/security.md */

struct harvest_stats {
	__u64 samples[EVENT_KINDS]; /* put into the profile, in the unit of their kind */
	__u64 nodes;	 /* in use */
	__u64 locations; /* distinct (code object, instruction) of the frames on the way */
	__u64 dropped;	 /* of samples, those whose stacks were [dropped]: the profile was too large */
};

/* More of the same tree: what follows sum. */
void harvest_stats_add(struct harvest_stats *sum, const struct harvest_stats *more);
/* Nothing of any kind. */
bool harvest_is_empty(const struct harvest_stats *stats);

/* Where a profile's parts come from, and how fine they are. */
struct harvest_source {
	const struct kernel_tables *tables;
	struct codes *codes;
	const struct registry *registry;
	const struct natives *natives; /* NULL: there are no native frames */
	bool hide_native; /* leaves frames of native code out (frame_is_native()) */
	struct kernel_names *kernel_names; /* NULL: the kernel's functions have none */
	bool interpreter; /* shows the interpreter's own loop, too */
	/*
	 * From so many bytes of a profile on, further stacks become one frame, [dropped]. 0 = PROFILE_BYTES.
	 * Otherwise programs that never repeat a stack would take all memory.
	 */
	size_t bytes_max;
	bool columns; /* tells places in one line apart, where the interpreter knows them */
	const struct pod_labels *pod_labels; /* may be NULL, as the next */
	const struct pod_label_names *pod_label_names;
};

/* How far a harvest has come that is done in parts. Begins as 0. */
struct harvest_progress {
	__u32 next;	    /* the node that it goes on with */
	__u32 *location_of; /* by node, what its frame is in the profile; NULL = not begun */
	struct places places; /* of all of them */
	struct harvest_stats stats;
};

/* Which counts: node_count of each. */
struct harvest_span {
	struct kernel_range nodes; /* end 0: all */
	const __u64 *since; /* NULL: from when the kernel side was loaded */
	const __u64 *until; /* NULL: up to now */
	__u64 *ret;	    /* if not NULL, gets the counts up to which it was done; may be since */
	struct harvest_progress *progress; /* NULL: all at once */
	__u64 pause_ns; /* clock_ns() at which it pauses, if there is progress; 0 = never */
};

/* The names of pods' labels, for a profile that harvest() is to fill. */
void harvest_label_names(const struct harvest_source *source, struct profile_info *info);

/*
 * Adds to the profile what was counted in that span, of the kinds of events that the profile is of. Returns
 * 0, or -ENOMEM: then the profile has a part, span->ret says which, and progress begins anew. -EAGAIN: it has
 * paused, and is to be called again with the same span but for pause_ns, a profile with what it has so far,
 * and counts that have not gone down.
 */
int harvest(const struct harvest_source *source, const struct harvest_span *span, struct profile *profile,
	    struct harvest_stats *ret_stats);
/* Looks at all nodes again; after the span's counts were changed. */
void harvest_again(struct harvest_progress *p);
/* These nodes are about to be cleared, or have been. */
void harvest_forget(struct harvest_progress *p, struct kernel_range nodes);
/* Gives up a harvest that has paused, or none. */
void harvest_end(struct harvest_progress *p);

#endif
