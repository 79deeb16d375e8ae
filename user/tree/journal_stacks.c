// SPDX-License-Identifier: GPL-2.0-only
#include "tree/journal_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "names/routes.h"
#include "profile/profile.h"
#include "tree/harvest.h"
#include "tree/native_frame.h"
#include "tree/node_stack.h"

int journal_stacks_open(struct journal_stacks *s, const struct harvest_inputs *inputs, struct profile *p)
{
	const __u32 count = inputs->tables->node_count;

	*s = (struct journal_stacks){
		.inputs = inputs,
		.profile = p,
		.frames = { .inputs = inputs, .profile = p },
	};
	s->id_of = calloc(count, sizeof(*s->id_of));
	s->frames.location_of = calloc(count, sizeof(*s->frames.location_of));
	if (s->id_of && s->frames.location_of)
		return 0;
	journal_stacks_close(s);
	return -ENOMEM;
}

void journal_stacks_close(struct journal_stacks *s)
{
	free(s->id_of);
	free(s->frames.location_of);
	lines_met_free(&s->lines);
	*s = (struct journal_stacks){};
}

/* One frame in place of a stack. */
static int add_marker(struct profile *p, __u32 kind, const char *name, const struct profile_labels *labels,
		      __u64 amount)
{
	__u32 location;
	int err = harvest_marker(p, name, &location);

	return err ?: profile_sample(p, kind, &location, 1, labels, amount);
}

void journal_span_labels(struct profile_labels *labels, const struct trace_ids *ids,
			 const struct routes *routes, struct journal_span_labels *l)
{
	const char *route;

	if (!ids || !ids->span)
		return;
	route = routes ? routes_find(routes, &(struct route_key){ .ids = *ids, .pid = labels->pid }) : NULL;
	if (route)
		labels->route = route;
	trace_ids_text(ids, l->trace, l->span);
	labels->trace_id = l->trace;
	labels->span_id = l->span;
}

static int add_journal_node(struct journal_stacks *s, __u32 node, __u32 kind, __u64 amount)
{
	static const struct profile_labels nobody = { .comm = "", .thread = "" };
	struct journal_span_labels texts;
	struct node_stack stack;
	int err;

	if (node < EVENT_KINDS || !node_stack_begin(s->inputs, node, &stack))
		return add_marker(s->profile, kind, "[table full]", &nobody, amount);
	node_stack_labels(s->inputs, &stack);
	journal_span_labels(&stack.labels, s->ids, s->routes, &texts);
	if (profile_bytes(s->profile) > (s->inputs->bytes_max ?: PROFILE_BYTES))
		return add_marker(s->profile, kind, "[dropped]", &stack.labels, amount);
	err = node_stack_frames(&s->frames, &stack);
	if (err)
		return err;
	s->frames.done++;
	return profile_sample(s->profile, kind, stack.locations, stack.n, &stack.labels, amount);
}

void journal_stacks_begin_part(struct journal_stacks *s, __u64 pause_ns)
{
	s->frames.lines = &s->lines;
	s->frames.done = 0;
	s->frames.pause_ns = pause_ns;
}

bool journal_stacks_time_is_up(const struct journal_stacks *s)
{
	return node_frames_time_is_up(&s->frames);
}

int journal_stacks_add(struct journal_stacks *s, __u32 node, __u32 kind, __u64 amount)
{
	int err = add_journal_node(s, node, kind, amount);

	if (!err)
		s->id_of[node] = profile_last_sample(s->profile);
	return err;
}
