// SPDX-License-Identifier: GPL-2.0-only
#include "tree/tick_times.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "tree/harvest_inputs.h"
#include "tree/harvest_span.h"
#include "tree/node_stack.h"

#define PAUSE_NODES 4096 /* from one look at the clock to the next */

void tick_times_free(struct tick_times *t)
{
	free(t->owners);
	*t = (struct tick_times){};
}

static void add_tick_time(struct tick_times *t, const struct harvest_inputs *inputs,
			  const struct harvest_span *span, __u32 node)
{
	const struct node *nodes = inputs->tables->nodes;
	__u64 until, count = harvest_span_count(span, nodes, node, &until);
	struct tick_time *owner;
	struct node_stack s;

	if (!count || !nodes[node].key || !node_stack_begin(inputs, node, &s) || s.kind != EVENT_CPU)
		return;
	owner = &t->owners[s.owner - inputs->tables->owners];
	if (node_is_account(nodes[node].key))
		owner->ns += count;
	else
		owner->ticks += count;
}

int tick_times_find(struct tick_times *t, const struct harvest_inputs *inputs,
		    const struct harvest_span *span)
{
	const __u32 end = span->nodes.end ?: inputs->tables->node_count;

	if (!t->owners)
		t->owners = calloc(inputs->tables->owner_count, sizeof(t->owners[0]));
	if (!t->owners)
		return -ENOMEM;
	if (t->next < EVENT_KINDS)
		t->next = EVENT_KINDS;
	if (t->next < span->nodes.first)
		t->next = span->nodes.first;
	while (t->next < end) {
		add_tick_time(t, inputs, span, t->next++);
		if (t->next % PAUSE_NODES == 0 && span->progress && span->pause_ns &&
		    clock_ns() >= span->pause_ns)
			return -EAGAIN;
	}
	return 0;
}

__u64 tick_times_ns(const struct tick_times *t, __u32 owner, __u64 ticks, __u64 ticks_ns)
{
	const struct tick_time *o = &t->owners[owner];

	if (!o->ticks || !o->ns)
		return ticks_ns;
	return (unsigned __int128)ticks * o->ns / o->ticks;
}
