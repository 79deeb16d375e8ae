// SPDX-License-Identifier: GPL-2.0-only
#include "tree/harvest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kubelet/pod_labels.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "python/context_names.h"
#include "tree/native_frame.h"
#include "tree/node_stack.h"

void harvest_stats_add(struct harvest_stats *sum, const struct harvest_stats *more)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		sum->samples[kind] += more->samples[kind];
	sum->locations += more->locations;
	sum->dropped += more->dropped;
	sum->more_endpoints += more->more_endpoints;
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
	struct endpoints *endpoints;	/* NULL: samples have none */
	const struct tick_times *times; /* NULL: a tick stands for the time between two */
	struct node_frames frames;	/* and with them the inputs and the profile */
	struct harvest_stats stats;
};

_Static_assert(POD_LABELS_MAX + CONTEXT_LABELS <= PROFILE_EXTRA_MAX, "a profile has too few labels");

void harvest_label_names(const struct harvest_inputs *inputs, struct profile_info *info)
{
	const struct pod_label_names *names = inputs->pod_label_names;
	const struct context_names *variables = inputs->context_names;

	for (size_t i = 0; names && i < names->count; i++)
		info->extra[info->extra_count++] = names->name[i];
	info->extra_in_series = info->extra_count;
	if (inputs->services)
		info->services = *inputs->services;
	for (__u32 i = 0; variables && i < variables->count; i++)
		info->extra[info->extra_count++] = variables->name[i];
}

/* Whether the profile has this kind, or a sum that it is part of. */
static bool is_harvested(const struct harvester *h, __u32 kind)
{
	const struct profile_info *info = profile_get_info(h->frames.profile);

	if (kind >= EVENT_KINDS)
		return false;
	return info->events & EVENT_BIT(kind) ||
	       (event_sums(info->events) && event_wall_ns(kind, 1, info->frequency));
}

/* A stack, and whose it is. */
struct harvest_place {
	const __u32 *locations;
	__u32 n;
	const struct profile_labels *labels;
	const struct owner *owner; /* of its root; NULL = not known */
};

/* What so many ticks stand for as CPU time. */
static __u64 ticks_ns(const struct harvester *h, const struct harvest_place *at, __u64 ticks, __u64 ticks_ns)
{
	const struct owner *owners = h->frames.inputs->tables->owners;

	if (!h->times || !at->owner)
		return ticks_ns;
	return tick_times_ns(h->times, at->owner - owners, ticks, ticks_ns);
}

/* ns of a sum of kinds, of which `booked` is in the books. */
static int add_to_sums(struct harvester *h, const struct harvest_place *at, __u64 ns, __u64 booked)
{
	const __u32 events = profile_get_info(h->frames.profile)->events;
	int err = 0;

	for (__u32 sums = ns || booked ? event_sums(events) : 0; sums && !err; sums &= sums - 1) {
		const enum event_kind kind = __builtin_ctz(sums);

		err = profile_sample_booked(h->frames.profile, kind, at->locations, at->n, at->labels, ns,
					    booked);
		h->stats.samples[kind] += err ? 0 : booked;
	}
	return err;
}

/* A sample of a kind, and of the sum that it is part of. */
static int add_sample(struct harvester *h, enum event_kind kind, const struct harvest_place *at, __u64 count)
{
	const struct profile_info *info = profile_get_info(h->frames.profile);
	const __u64 wall_ns = event_wall_ns(kind, count, info->frequency);
	const bool is_cpu = kind == EVENT_CPU;
	int err = 0;

	if (info->events & EVENT_BIT(kind)) {
		err = profile_sample(h->frames.profile, kind, at->locations, at->n, at->labels, count);
		h->stats.samples[kind] += err ? 0 : count;
		if (!err && is_cpu && info->timed)
			err = profile_sample(h->frames.profile, PROFILE_TIME, at->locations, at->n,
					     at->labels, ticks_ns(h, at, count, count * info->period_ns));
	}
	return err ?: add_to_sums(h, at, is_cpu ? ticks_ns(h, at, count, wall_ns) : wall_ns, wall_ns);
}

/* The profile is too large for another stack. */
static int drop_node(struct harvester *h, const struct node_stack *s, __u64 count)
{
	__u32 location;
	const struct harvest_place at = { &location, 1, &s->labels, s->owner };
	int err = harvest_marker(h->frames.profile, "[dropped]", &location);

	if (!err)
		err = add_sample(h, s->kind, &at, count);
	if (!err)
		h->stats.dropped += count;
	return err;
}

static int harvest_node(struct harvester *h, __u32 node, __u64 count)
{
	const struct harvest_inputs *inputs = h->frames.inputs;
	struct node_stack s;
	int err;

	if (!node_stack_begin(inputs, node, &s) || !is_harvested(h, s.kind))
		return 0;
	node_stack_labels(inputs, &s);
	if (h->endpoints && endpoints_find(h->endpoints, inputs, &s, &s.labels.endpoint))
		return -ENOMEM;
	if (profile_bytes(h->frames.profile) > (inputs->bytes_max ?: PROFILE_BYTES))
		return drop_node(h, &s, count);
	err = node_stack_frames(&h->frames, &s);
	if (!err)
		err = add_sample(h, s.kind, &(struct harvest_place){ s.locations, s.n, &s.labels, s.owner },
				 count);
	if (!err)
		h->frames.done++;
	if (!err && s.labels.endpoint && endpoints_is_more(s.labels.endpoint))
		h->stats.more_endpoints++;
	return err;
}

/* CPU time of a thread that no tick has seen. That of a whole process may be in its threads' ticks. */
static int add_unseen(struct harvester *h, const struct node_stack *s, __u64 ns)
{
	__u32 location;
	const struct harvest_place at = { &location, 1, &s->labels, s->owner };
	int err;

	if (!h->times || !s->owner->tid ||
	    h->times->owners[s->owner - h->frames.inputs->tables->owners].ticks)
		return 0;
	err = harvest_marker(h->frames.profile, "[not seen by ticks]", &location);
	if (!err && profile_get_info(h->frames.profile)->events & EVENT_BIT(EVENT_CPU))
		err = profile_sample(h->frames.profile, PROFILE_TIME, &location, 1, &s->labels, ns);
	return err ?: add_to_sums(h, &at, ns, 0);
}

/* A node that counts no samples, but what the kernel's account says. */
static int harvest_account(struct harvester *h, __u32 node, __u64 count)
{
	struct node_stack s;
	int err = 0;

	if (!is_harvested(h, EVENT_CPU) || !node_stack_begin(h->frames.inputs, node, &s))
		return 0;
	node_stack_labels(h->frames.inputs, &s);
	if (profile_get_info(h->frames.profile)->events & EVENT_BIT(EVENT_CPU))
		err = profile_account(h->frames.profile, &s.labels, count);
	return err ?: add_unseen(h, &s, count);
}

/* A reserved node counts the samples of a kind for which not even a marker found room. */
static int harvest_overflow(struct harvester *h, enum event_kind kind, __u64 count)
{
	struct profile_labels labels = { .comm = "", .thread = "" };
	__u32 location;
	const struct harvest_place at = { &location, 1, &labels, NULL };
	int err;

	if (!is_harvested(h, kind))
		return 0;
	err = node_frame_marker(&h->frames, OUTCOME_TABLE_FULL, &location);
	return err ?: add_sample(h, kind, &at, count);
}

static int harvest_count(struct harvester *h, __u32 node)
{
	const struct node *nodes = h->frames.inputs->tables->nodes;
	__u64 until, count = harvest_span_count(h->span, nodes, node, &until);
	int err = 0;

	if (count && node < EVENT_KINDS)
		err = harvest_overflow(h, node, count);
	else if (count && node_is_account(nodes[node].key))
		err = harvest_account(h, node, count);
	else if (count)
		err = harvest_node(h, node, count);
	if (!err && h->span->ret)
		h->span->ret[node] = until;
	return err;
}

void harvest_again(struct harvest_progress *p)
{
	p->next = 0;
	p->stats.nodes = 0;
	tick_times_free(&p->times);
}

void harvest_forget(struct harvest_progress *p, struct kernel_range nodes)
{
	if (p->location_of)
		memset(p->location_of + nodes.first, 0,
		       (nodes.end - nodes.first) * sizeof(p->location_of[0]));
	endpoints_free(&p->endpoints);
}

void harvest_end(struct harvest_progress *p)
{
	free(p->location_of);
	lines_met_free(&p->lines);
	endpoints_free(&p->endpoints);
	tick_times_free(&p->times);
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
	h.endpoints = inputs->endpoint_rules ? &p->endpoints : NULL;
	err = p->location_of ? 0 : -ENOMEM;
	if (!err && profile_get_info(profile)->timed) {
		err = tick_times_find(&p->times, inputs, span);
		h.times = &p->times;
	}
	if (!err && h.endpoints)
		err = endpoints_rank(h.endpoints, inputs, span);
	err = err ?: harvest_nodes(&h, &p->next);
	p->stats = h.stats;
	if (err == -EAGAIN)
		return err;
	h.stats.locations += p->lines.count;
	harvest_end(p);
	if (!err)
		*ret_stats = h.stats;
	return err;
}
