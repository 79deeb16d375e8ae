/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * named_nodes.h - the forged tables with what naming their nodes works on: a profile, and what was asked for.
 */
#ifndef PYPERF_TESTS_NAMED_NODES_H
#define PYPERF_TESTS_NAMED_NODES_H

#include "tests/forge/tables.h"

#include "tree/node_frame.h"

static __u32 locations[NODES];
static struct lines_met lines;
static struct harvest_inputs inputs;

static inline int setup_names(void **state)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000 };
	int err = setup(state);

	if (err || profile_new(&info, &profile))
		return -1;
	inputs = forged_inputs;
	memset(locations, 0, sizeof(locations));
	return 0;
}

static inline int teardown_names(void **state)
{
	lines_met_free(&lines);
	return teardown(state);
}

/* pause_ns: when naming is to stop; 0 = never. */
static inline struct node_frames frames_of(__u64 pause_ns)
{
	return (struct node_frames){ .inputs = &inputs, .profile = profile, .location_of = locations,
				     .lines = &lines, .pause_ns = pause_ns };
}

static inline const char *name_of(__u32 location)
{
	const struct profile_location *l = profile_get_location(profile, location);

	return profile_get_string(profile, profile_get_function(profile, l->function)->name);
}

#endif
