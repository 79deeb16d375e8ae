/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node_frame.h - nodes of the call tree as frames of a profile: asks for the name and the line of each once,
 * by what its number stands for.
 */
#ifndef PYPERF_TREE_NODE_FRAME_H
#define PYPERF_TREE_NODE_FRAME_H

#include <stdbool.h>
#include <linux/types.h>

struct harvest_inputs;
struct lines_met;
struct profile;

/* Frames of one profile. */
struct node_frames {
	const struct harvest_inputs *inputs;
	struct profile *profile; /* gets the locations */
	__u32 *location_of;	 /* by node; 0 = not asked for yet */
	struct lines_met *lines; /* counts those of Python frames */
	__u64 pause_ns;		 /* clock_ns() from which on -EAGAIN is returned; 0 = never */
	__u64 done; /* frames that were named, and stacks, before the pause: each part does one at least */
	bool importing; /* a frame that was asked for imports a module; never set to false here */
};

bool node_frames_time_is_up(const struct node_frames *f);
/*
 * The location of a node's frame, or FRAME_HIDDEN. interpreter: the mapping of the interpreter of the node's
 * process; 0 = unknown. 0, -ENOMEM, or -EAGAIN: time is up.
 */
int node_frame_location(struct node_frames *f, __u32 node, __u32 interpreter, __u32 *ret);
/* The location of the marker of an enum outcome, "[unknown]" if there is no such outcome. 0 or -ENOMEM. */
int node_frame_marker(const struct node_frames *f, __u32 outcome, __u32 *ret);

#endif
