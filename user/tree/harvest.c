// SPDX-License-Identifier: GPL-2.0-only
#include "tree/harvest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kubelet/pod_labels.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "tree/native_frame.h"
#include "tree/node_stack.h"

void harvest_stats_add(struct harvest_stats *sum, const struct harvest_stats *more)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		sum->samples[kind] += more->samples[kind];
	sum->locations += more->locations;
	sum->dropped += more->dropped;
	sum->nodes = more->nodes;
}

bool harvest_is_empty(const struct harvest_stats *stats)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (stats->samples[kind])
			return false;
	return true;
}

struct harvester {
	const struct harvest_span *span;
	struct node_frames frames; /* and with them the inputs and the profile */
	struct harvest_stats stats;
};

_Static_assert(POD_LABELS_MAX <= PROFILE_EXTRA_MAX, "a profile has too few labels");

void harvest_label_names(const struct harvest_inputs *inputs, struct profile_info *info)
{
	const struct pod_label_names *names = inputs->pod_label_names;

	for (size_t i = 0; names && i < names->count; i++)
		info->extra[info->extra_count++] = names->name[i];
}

/* Whether the profile has this kind, or a sum that it is part of. */
static bool is_wanted(const struct harvester *h, __u32 kind)
{
	const struct profile_info *info = profile_get_info(h->frames.profile);

	if (kind >= EVENT_KINDS)
		return false;
	return info->events & EVENT_BIT(kind) ||
	       (event_sums(info->events) && event_wall_ns(kind, 1, info->frequency));
}

static int add_one(struct harvester *h, enum event_kind kind, const __u32 *locations, __u32 n,
		   const struct profile_labels *labels, __u64 count)
{
	int err = profile_sample(h->frames.profile, kind, locations, n, labels, count);

	h->stats.samples[kind] += err ? 0 : count;
	return err;
}

/* A sample of a kind, and of the sum that it is part of. */
static int add_sample(struct harvester *h, enum event_kind kind, const __u32 *locations, __u32 n,
		      const struct profile_labels *labels, __u64 count)
{
	const struct profile_info *info = profile_get_info(h->frames.profile);
	const __u64 wall_ns = event_wall_ns(kind, count, info->frequency);
	int err = 0;

	if (info->events & EVENT_BIT(kind))
		err = add_one(h, kind, locations, n, labels, count);
	for (__u32 sums = wall_ns ? event_sums(info->events) : 0; sums && !err; sums &= sums - 1)
		err = add_one(h, __builtin_ctz(sums), locations, n, labels, wall_ns);
	return err;
}

/* The profile is too large for another stack. */
static int drop_node(struct harvester *h, enum event_kind kind, const struct profile_labels *labels,
		     __u64 count)
{
	__u32 location;
	int err = harvest_marker(h->frames.profile, "[dropped]", &location);

	if (!err)
		err = add_sample(h, kind, &location, 1, labels, count);
	if (!err)
		h->stats.dropped += count;
	return err;
}

static int harvest_node(struct harvester *h, __u32 node, __u64 count)
{
	const struct harvest_inputs *inputs = h->frames.inputs;
	struct node_stack s;
	int err;

	if (!node_stack_begin(inputs, node, &s) || !is_wanted(h, s.kind))
		return 0;
	node_stack_labels(inputs, &s);
	if (profile_bytes(h->frames.profile) > (inputs->bytes_max ?: PROFILE_BYTES))
		return drop_node(h, s.kind, &s.labels, count);
	err = node_stack_frames(&h->frames, &s);
	if (!err)
		err = add_sample(h, s.kind, s.locations, s.n, &s.labels, count);
	if (!err)
		h->frames.done++;
	return err;
}

/* A node that counts no samples, but what the kernel's account says. */
static int harvest_account(struct harvester *h, __u32 node, __u64 count)
{
	const struct profile_info *info = profile_get_info(h->frames.profile);
	struct node_stack s;

	if (!(info->events & EVENT_BIT(EVENT_CPU)) || !node_stack_begin(h->frames.inputs, node, &s))
		return 0;
	node_stack_labels(h->frames.inputs, &s);
	return profile_account(h->frames.profile, &s.labels, count);
}

/* A reserved node counts the samples of a kind for which not even a marker found room. */
static int harvest_overflow(struct harvester *h, enum event_kind kind, __u64 count)
{
	struct profile_labels labels = { .comm = "", .thread = "" };
	__u32 location;
	int err;

	if (!is_wanted(h, kind))
		return 0;
	err = node_frame_marker(&h->frames, OUTCOME_TABLE_FULL, &location);
	return err ?: add_sample(h, kind, &location, 1, &labels, count);
}

/* The count of a node in the span. The node goes on counting, so its count is read once. */
static int harvest_count(struct harvester *h, __u32 node)
{
	const struct harvest_span *s = h->span;
	const struct node *n = &h->frames.inputs->tables->nodes[node];
	__u64 now = s->until ? s->until[node] : __atomic_load_n(&n->count, __ATOMIC_RELAXED);
	__u64 count = now - (s->since ? s->since[node] : 0);
	int err = 0;

	if (count && node < EVENT_KINDS)
		err = harvest_overflow(h, node, count);
	else if (count && node_is_account(n->key))
		err = harvest_account(h, node, count);
	else if (count)
		err = harvest_node(h, node, count);
	if (!err && s->ret)
		s->ret[node] = now;
	return err;
}

void harvest_again(struct harvest_progress *p)
{
	p->next = 0;
	p->stats.nodes = 0;
}

void harvest_forget(struct harvest_progress *p, struct kernel_range nodes)
{
	if (p->location_of)
		memset(p->location_of + nodes.first, 0,
		       (nodes.end - nodes.first) * sizeof(p->location_of[0]));
}

void harvest_end(struct harvest_progress *p)
{
	free(p->location_of);
	lines_met_free(&p->lines);
	*p = (struct harvest_progress){};
}

static int harvest_nodes(struct harvester *h, __u32 *next)
{
	const struct kernel_tables *t = h->frames.inputs->tables;
	const __u32 end = h->span->nodes.end ?: t->node_count;
	int err = 0;

	for (; !err && *next < end; ++*next) {
		__u64 before = h->frames.done;

		if (*next >= EVENT_KINDS && !t->nodes[*next].key)
			continue;
		err = harvest_count(h, *next);
		if (err)
			return err;
		h->stats.nodes += *next >= EVENT_KINDS;
		err = h->frames.done != before && node_frames_time_is_up(&h->frames) ? -EAGAIN : 0;
	}
	return err;
}

int harvest(const struct harvest_inputs *inputs, const struct harvest_span *span, struct profile *profile,
	    struct harvest_stats *ret_stats)
{
	const struct kernel_tables *t = inputs->tables;
	_cleanup_(harvest_end) struct harvest_progress at_once = {};
	struct harvest_progress *p = span->progress ?: &at_once;
	struct harvester h = {
		.span = span,
		.frames = {
			.inputs = inputs,
			.profile = profile,
			.lines = &p->lines,
			.pause_ns = span->progress ? span->pause_ns : 0,
		},
		.stats = p->stats,
	};
	int err;

	if (p->next < span->nodes.first)
		p->next = span->nodes.first;
	if (!p->location_of)
		p->location_of = calloc(t->node_count, sizeof(p->location_of[0]));
	h.frames.location_of = p->location_of;
	err = p->location_of ? harvest_nodes(&h, &p->next) : -ENOMEM;
	p->stats = h.stats;
	if (err == -EAGAIN)
		return err;
	h.stats.locations += p->lines.count;
	harvest_end(p);
	if (!err)
		*ret_stats = h.stats;
	return err;
}
