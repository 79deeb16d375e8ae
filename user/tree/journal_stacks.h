/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal_stacks.h - the stacks that nodes of the journal stand for, as samples of a profile. It is done in
 * parts, since the names and lines of many have to be asked for.
 */
#ifndef PYPERF_TREE_JOURNAL_STACKS_H
#define PYPERF_TREE_JOURNAL_STACKS_H

#include "tree/node_frame.h"
#include "tree/lines_met.h"

struct harvest_inputs;
struct profile;

/* Begins as 0. */
struct journal_stacks {
	const struct harvest_inputs *inputs;
	struct profile *profile;
	struct node_frames frames;
	struct lines_met lines;
	__u32 *id_of; /* by node: the sample of the profile; 0 = not asked for yet */
};

/* Nodes of these tables become samples of this profile; both are borrowed. 0 or -ENOMEM. */
int journal_stacks_open(struct journal_stacks *s, const struct harvest_inputs *inputs, struct profile *p);
void journal_stacks_close(struct journal_stacks *s);
/* A part begins: it does one stack or frame at least, and pauses when clock_ns() is pause_ns; 0 = never. */
void journal_stacks_begin_part(struct journal_stacks *s, __u64 pause_ns);
bool journal_stacks_time_is_up(const struct journal_stacks *s);
/*
 * Adds `amount` of the kind to the sample of a node, whose number is then in id_of. The profile is of that
 * kind. 0, -ENOMEM, or -EAGAIN: time is up, and it is to be called again.
 */
int journal_stacks_add(struct journal_stacks *s, __u32 node, __u32 kind, __u64 amount);

#endif
