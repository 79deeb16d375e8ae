/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal_stacks.h - the stacks that nodes of the journal stand for, as samples of a profile. It is done in
 * parts, since the names and lines of many have to be asked for.
 */
#ifndef PYPERF_TREE_JOURNAL_STACKS_H
#define PYPERF_TREE_JOURNAL_STACKS_H

#include "profile/trace_ids.h"
#include "tree/lines_met.h"
#include "tree/node_frame.h"

struct harvest_inputs;
struct profile;
struct profile_labels;
struct routes;
struct trace_ids;

/* Begins as 0. */
struct journal_stacks {
	const struct harvest_inputs *inputs;
	struct profile *profile;
	struct node_frames frames;
	struct lines_met lines;
	const struct routes *routes; /* of such spans; may be NULL */
	const struct trace_ids *ids; /* labels of the samples that are added; NULL, or span is 0: none */
	__u32 *id_of;		     /* by node: the sample of the profile; 0 = not asked for yet */
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

/* Labels of a sample of this span. */
struct journal_span_labels {
	char trace[TRACE_TEXT], span[SPAN_TEXT];
};

/*
 * Sets those labels, which are borrowed from l, and the route, from routes, which may be NULL; without a span
 * nothing. The other labels are there already.
 */
void journal_span_labels(struct profile_labels *labels, const struct trace_ids *ids,
			 const struct routes *routes, struct journal_span_labels *l);

#endif
