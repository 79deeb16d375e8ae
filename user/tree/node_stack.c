// SPDX-License-Identifier: GPL-2.0-only
#include "tree/node_stack.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "kern/banks.h"
#include "kubelet/pod_labels.h"
#include "names/called.h"
#include "profile/frames.h"
#include "targets/registry.h"
#include "tree/attributes.h"
#include "tree/harvest_inputs.h"
#include "tree/native_frame.h"

/* The node at the root of this one's stack, or 0 for a chain that cannot be. */
static __u32 find_root(const struct kernel_tables *t, __u32 node)
{
	for (int i = 0; i < NODE_STACK_MAX && node < t->node_count; i++) {
		__u64 key = t->nodes[node].key;

		if (!node_parent(key))
			return key ? node : 0;
		node = node_parent(key);
	}
	return 0;
}

/* Time of an event loop is a node above a tick, and so above the attributes of that. */
static bool is_turn(__u64 key)
{
	return !node_is_native(key) &&
	       (node_code(key) == CODE_WAITS + WAIT_TURN || node_code(key) == CODE_WAITS + WAIT_SATURATED);
}

/* Leads from a node past the attributes on top of it. */
static __u32 find_top(const struct kernel_tables *t, __u32 node, __u32 root)
{
	while (node_is_attribute(t->nodes[node].key) && node_parent(t->nodes[node].key) != root)
		node = node_parent(t->nodes[node].key);
	return node;
}

/* ... and past its attributes to that of the stack's leaf. */
static __u32 find_leaf(const struct kernel_tables *t, __u32 node, __u32 root)
{
	__u64 key = t->nodes[node].key;

	while ((node_is_attribute(key) || is_turn(key)) && node_parent(key) != root) {
		node = node_parent(key);
		key = t->nodes[node].key;
	}
	return node;
}

bool node_stack_begin(const struct harvest_inputs *inputs, __u32 node, struct node_stack *ret)
{
	const struct kernel_tables *t = inputs->tables;
	const __u32 root = find_root(t, node), index = node_code(t->nodes[root].key);

	if (!root || index >= t->owner_count)
		return false;
	ret->node = node;
	ret->root = root;
	ret->leaf = find_leaf(t, node, root);
	ret->owner = &t->owners[index];
	ret->top = find_top(t, node, root);
	ret->kind = node_event(t->nodes[ret->top].key, owner_kind(ret->owner->key));
	return true;
}

static void fill_pod_labels(const struct harvest_inputs *inputs, const char *pod_uid,
			    struct profile_labels *l)
{
	const struct pod_entry *e =
		inputs->pod_labels && *pod_uid ? pod_labels_find(inputs->pod_labels, pod_uid) : NULL;

	for (size_t i = 0; e && i < POD_LABELS_MAX; i++)
		l->extra[i] = e->value[i];
}

/* The process is named after its main thread; a thread of its own has its own name too. */
static void fill_owner_labels(const struct harvest_inputs *inputs, const struct owner *owner,
			      const struct registry_entry *process, const char *comm,
			      struct profile_labels *l)
{
	l->pid = process ? process->pid : 0; /* its record was lost: nobody to name */
	l->tid = owner->tid;
	l->comm = process ? process->comm : "";
	l->thread = owner->tid ? comm : "";
	if (owner->tid == l->pid || !owner->tid)
		l->comm = comm;
	if (!process)
		return;
	l->began_boot_ns = process->loads_from ?: process->start_time;
	l->user = process->user;
	if (owner->tid)
		l->thread = called_shown(inputs->called, process->id, called_thread_of(owner),
					 owner->tid == l->pid, comm, l->comm);
	for (int i = 0; i < LABEL_COUNT; i++)
		if (label_is_of_registry(i))
			profile_labels_set(l, i, process->label[i]);
}

void node_stack_labels(const struct harvest_inputs *inputs, struct node_stack *s)
{
	const struct pod_label_names *names = inputs->pod_label_names;
	const struct node *nodes = inputs->tables->nodes;

	s->labels = (struct profile_labels){};
	for (__u32 at = s->node; at != s->leaf; at = node_parent(nodes[at].key))
		if (node_is_attribute(nodes[at].key))
			attributes_fill(nodes[at].key, inputs->codes,
					s->labels.extra + (names ? names->count : 0), &s->labels);
	s->process = registry_find(inputs->registry, s->owner->process);
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)sizeof(s->comm) - 1, s->owner->comm);
	fill_owner_labels(inputs, s->owner, s->process, s->comm, &s->labels);
	if (s->process)
		fill_pod_labels(inputs, s->process->label[LABEL_pod_uid], &s->labels);
}

static int owner_mapping(struct profile *p, const struct registry_entry *process, __u32 *ret)
{
	*ret = 0;
	if (!process || !*process->binary)
		return 0;
	return profile_mapping(p, process->binary, process->build_id, ret);
}

/* The frame of a node, and those around it. *left: how many of these there may be. Returns how many. */
static __u32 add_frames(const struct profile *p, __u32 location, __u32 *left, __u32 *ret)
{
	__u32 n = 1;

	*ret = location;
	while ((location = profile_get_location(p, location)->around) && *left) {
		ret[n++] = location;
		--*left;
	}
	return n;
}

/* What stands in place of a stack that has no frames to show. */
static int add_nothing(const struct node_frames *f, struct node_stack *s)
{
	__u32 *at = &s->locations[s->n++];

	return s->leaf == s->root ? node_frame_marker(f, OUTCOME_TABLE_FULL, at) :
				    harvest_marker(f->profile, FRAME_ALL_HIDDEN, at);
}

/* Time of an event loop may be a frame itself. It is no part of the stack below it. */
static __u32 first_frame(const struct node *nodes, const struct node_stack *s)
{
	return is_turn(nodes[s->top].key) ? s->top : s->leaf;
}

static __u32 next_frame(const struct node *nodes, const struct node_stack *s, __u32 at)
{
	return at == s->top && at != s->leaf ? s->leaf : node_parent(nodes[at].key);
}

int node_stack_frames(struct node_frames *f, struct node_stack *s)
{
	const struct node *nodes = f->inputs->tables->nodes;
	__u32 inlined = INLINED_MAX, location, mapping;
	int err = owner_mapping(f->profile, s->process, &mapping);

	s->n = 0;
	f->importing = false;
	for (__u32 at = first_frame(nodes, s); !err && at != s->root; at = next_frame(nodes, s, at)) {
		err = node_frame_location(f, at, mapping, &location);
		if (!err && location != FRAME_HIDDEN)
			s->n += add_frames(f->profile, location, &inlined, &s->locations[s->n]);
	}
	if (f->importing && event_is_tick(s->kind))
		s->labels.import = "yes";
	return err ?: s->n ? 0 : add_nothing(f, s);
}
