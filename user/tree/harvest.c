// SPDX-License-Identifier: GPL-2.0-only
#include "tree/harvest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "kubelet/pod_labels.h"
#include "names/codes.h"
#include "profile/events.h"
#include "profile/frames.h"
#include "profile/profile.h"
#include "targets/registry.h"
#include "tree/native_frame.h"
#include "tree/states.h"

/* Frames of the deepest stack: --max-depth's limit, what the GIL's holder has above it, markers, the root. */
#define FRAMES_MAX (4112 + HOLDER_DEPTH)
#define LOCATION_IMPORT (1U << 31) /* a bit of location_of: states_is_import(); ids are smaller */
#define INLINED_MAX 4096 /* frames of a stack that are in no node: of functions into which others were put */

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
	const struct kernel_tables *tables;
	struct codes *codes;
	const struct natives *natives;
	struct kernel_names *kernel_names;
	bool interpreter, hide_native;
	const struct registry *registry;
	const struct pod_labels *pod_labels;
	const struct harvest_span *span;
	bool columns;
	size_t bytes_max;
	struct profile *profile;
	__u32 *location_of; /* by node; 0 = not asked for yet */
	struct places *places;
	bool importing; /* a frame of the stack at hand imports a module */
	__u64 pause_ns; /* clock_ns(); 0 = never */
	__u64 done;	/* frames that were named, and stacks, in this part: each does one at least */
	struct harvest_stats stats;
};

static const char *const marker_names[OUTCOME_COUNT] = {
#define OUTCOME(name, group, place, text, help) [OUTCOME_##name] = "[" text "]",
#include "bpf/outcomes.def"
#undef OUTCOME
};

static int marker_location(struct harvester *h, __u32 outcome, __u32 *ret)
{
	const char *name = outcome < OUTCOME_COUNT ? marker_names[outcome] : "[unknown]";

	return harvest_marker(h->profile, name, ret);
}

static int outcome_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return marker_location(h, node_code(key), ret);
}

static int code_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	struct code_line line;
	__u32 function;
	int err;

	codes_resolve(h->codes, node_code(key), node_instr(key), &line);
	err = profile_function(h->profile, line.kind, line.function, line.file, line.first_line, &function);
	return err ?:
	       profile_location(h->profile, function, line.line, h->columns ? line.column : 0, mapping, ret);
}

static int native_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_function(h->natives, h->interpreter, h->profile, node_position(key), ret);
}

static int syscall_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_syscall(h->profile, node_position(key) - TEXT_SYSCALLS, ret);
}

static int kernel_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_kernel(h->kernel_names, h->profile, node_position(key), ret);
}

static int native_end_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_end(h->profile, node_position(key), ret);
}

static const char *const wait_names[WAIT_CAUSES] = {
#define WAIT(name, kind, text, help) [WAIT_##name] = "[" text "]",
#include "bpf/waits.def"
#undef WAIT
};

/* One without a text only tells kinds of events apart. */
static bool is_wait_shown(__u64 key)
{
	const __u32 cause = node_code(key) - CODE_WAITS;

	return cause >= WAIT_CAUSES || strcmp(wait_names[cause], "[]");
}

static int wait_location(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret)
{
	const __u32 cause = node_code(key) - CODE_WAITS;
	const char *name = cause < WAIT_CAUSES ? wait_names[cause] : "[unknown]";
	__u32 function;

	(void)mapping;
	return profile_function(h->profile, FRAME_WAIT, name, "", 0, &function) ?:
	       profile_location(h->profile, function, 0, 0, 0, ret);
}

/*
 * Asks for a frame's name and line, by what its number stands for. mapping: where its row says it lies, or 0.
 */
static int (*const locate[FRAME_KINDS])(struct harvester *h, __u64 key, __u32 mapping, __u32 *ret) = {
#define FRAME(name, number, mapping, table, key, behind, colour, shown, help) \
	[FRAME_##name] = number##_location,
#include "bpf/frames.def"
#undef FRAME
};

static bool is_time_up(const struct harvester *h)
{
	return h->done && h->pause_ns && clock_ns() >= h->pause_ns;
}

/*
 * interpreter: the mapping of the process's, 0 = unknown. Of a stack of thousands of frames each may be new
 * and its line table large, so it may pause between any two of them. What was found is kept.
 */
static int node_location(struct harvester *h, __u32 node, __u32 interpreter, __u32 *ret)
{
	const __u64 key = h->tables->nodes[node].key;
	const enum frame_kind kind = node_frame_kind(key);
	const bool is_mapped = frame_rows[kind].mapping == MAPPING_INTERPRETER;
	int err = 0;

	if ((h->hide_native && frame_is_native(kind)) || (kind == FRAME_WAIT && !is_wait_shown(key))) {
		*ret = FRAME_HIDDEN;
		return 0;
	}
	if (!h->location_of[node]) {
		if (is_time_up(h))
			return -EAGAIN;
		err = locate[kind](h, key, is_mapped ? interpreter : 0, &h->location_of[node]);
		if (!err && kind == FRAME_PYTHON && states_is_import(h->profile, h->location_of[node]))
			h->location_of[node] |= LOCATION_IMPORT;
		if (!err && kind == FRAME_PYTHON)
			err = places_add(h->places, node_key(0, node_code(key), node_instr(key)));
		h->done++;
	}
	*ret = h->location_of[node];
	if (*ret != FRAME_HIDDEN && *ret & LOCATION_IMPORT) {
		*ret &= ~LOCATION_IMPORT;
		h->importing = true;
	}
	return err;
}

/* The node at the root of this one's stack, or 0 for a chain that cannot be. */
static __u32 find_root(const struct kernel_tables *t, __u32 node)
{
	for (int i = 0; i < FRAMES_MAX && node < t->node_count; i++) {
		__u64 key = t->nodes[node].key;

		if (!node_parent(key))
			return key ? node : 0;
		node = node_parent(key);
	}
	return 0;
}

static int owner_mapping(struct harvester *h, const struct registry_entry *process, __u32 *ret)
{
	*ret = 0;
	if (!process || !*process->binary)
		return 0;
	return profile_mapping(h->profile, process->binary, process->build_id, ret);
}

_Static_assert(POD_LABELS_MAX <= PROFILE_EXTRA_MAX, "a profile has too few labels");

void harvest_label_names(const struct harvest_source *source, struct profile_info *info)
{
	const struct pod_label_names *names = source->pod_label_names;

	for (size_t i = 0; names && i < names->count; i++)
		info->extra[info->extra_count++] = names->name[i];
}

static void fill_pod_labels(const struct harvester *h, const char *pod_uid, struct profile_labels *l)
{
	const struct pod_entry *e =
		h->pod_labels && *pod_uid ? pod_labels_find(h->pod_labels, pod_uid) : NULL;

	for (size_t i = 0; e && i < POD_LABELS_MAX; i++)
		l->extra[i] = e->value[i];
}

/* The process is named after its main thread; a thread of its own has its own name too. */
static void fill_labels(const struct owner *owner, const struct registry_entry *process, const char *comm,
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
#define LABEL(key, kind, source, places, help) OF_CONTAINER(source, l->key = process->container.key;)
#include "profile/labels.def"
#undef LABEL
}

/* Whether the profile has this kind, or a sum that it is part of. */
static bool is_wanted(const struct harvester *h, __u32 kind)
{
	const struct profile_info *info = profile_get_info(h->profile);

	if (kind >= EVENT_KINDS)
		return false;
	return info->events & EVENT_BIT(kind) ||
	       (event_sums(info->events) && event_wall_ns(kind, 1, info->frequency));
}

static int add_one(struct harvester *h, enum event_kind kind, const __u32 *locations, __u32 n,
		   const struct profile_labels *labels, __u64 count)
{
	int err = profile_sample(h->profile, kind, locations, n, labels, count);

	h->stats.samples[kind] += err ? 0 : count;
	return err;
}

/* A sample of a kind, and of the sum that it is part of. */
static int add_sample(struct harvester *h, enum event_kind kind, const __u32 *locations, __u32 n,
		      const struct profile_labels *labels, __u64 count)
{
	const struct profile_info *info = profile_get_info(h->profile);
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
	int err = harvest_marker(h->profile, "[dropped]", &location);

	if (!err)
		err = add_sample(h, kind, &location, 1, labels, count);
	if (!err)
		h->stats.dropped += count;
	return err;
}

/* The frame of a node, and those around it. *left: how many of these there may be. Returns how many. */
static __u32 add_frames(const struct harvester *h, __u32 location, __u32 *left, __u32 *ret)
{
	__u32 n = 1;

	*ret = location;
	while ((location = profile_get_location(h->profile, location)->around) && *left) {
		ret[n++] = location;
		--*left;
	}
	return n;
}

/* What the thread did at the moment of the samples of this node. Returns the node of their stack. */
static __u32 fill_moment(struct harvester *h, __u32 node, __u32 root, struct profile_labels *l)
{
	__u64 key = h->tables->nodes[node].key;
	struct code_line task;

	if (node_is_state(key) && node_parent(key) != root) {
		states_fill(node_instr(key), l);
		node = node_parent(key);
		key = h->tables->nodes[node].key;
	}
	if (node_is_task(key) && node_parent(key) != root) {
		codes_resolve(h->codes, node_code(key), INSTR_UNKNOWN, &task);
		l->task = task.kind == FRAME_PYTHON ? task.function : NULL;
		node = node_parent(key);
	}
	return node;
}

static int harvest_node(struct harvester *h, __u32 node, __u64 count)
{
	const struct kernel_tables *t = h->tables;
	__u32 root = find_root(t, node), location, n = 0, mapping, index, kind;
	__u32 locations[FRAMES_MAX + INLINED_MAX];
	__u32 inlined = INLINED_MAX;
	const struct registry_entry *process;
	struct profile_labels labels = {};
	const struct owner *owner;
	char comm[sizeof(owner->comm)];
	int err;

	index = node_code(t->nodes[root].key);
	if (!root || index >= t->owner_count)
		return 0;
	owner = &t->owners[index];
	node = fill_moment(h, node, root, &labels);
	kind = node_event(t->nodes[node].key, owner_kind(owner->key));
	if (!is_wanted(h, kind))
		return 0;
	process = registry_find(h->registry, owner->process);
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(comm) - 1, owner->comm);
	fill_labels(owner, process, comm, &labels);
	if (process)
		fill_pod_labels(h, process->container.pod_uid, &labels);
	if (profile_bytes(h->profile) > h->bytes_max)
		return drop_node(h, kind, &labels, count);
	h->importing = false;
	err = owner_mapping(h, process, &mapping);
	for (__u32 at = node; !err && at != root; at = node_parent(t->nodes[at].key)) {
		err = node_location(h, at, mapping, &location);
		if (!err && location != FRAME_HIDDEN)
			n += add_frames(h, location, &inlined, &locations[n]);
	}
	if (h->importing && event_is_tick(kind))
		labels.import = "yes";
	if (!n && !err)
		err = node == root ? marker_location(h, OUTCOME_TABLE_FULL, &locations[n++]) :
				     harvest_marker(h->profile, FRAME_ALL_HIDDEN, &locations[n++]);
	if (!err)
		err = add_sample(h, kind, locations, n, &labels, count);
	if (!err)
		h->done++;
	return err;
}

/* A reserved node counts the samples of a kind for which not even a marker found room. */
static int harvest_overflow(struct harvester *h, enum event_kind kind, __u64 count)
{
	struct profile_labels labels = { .comm = "", .thread = "" };
	__u32 location;
	int err;

	if (!is_wanted(h, kind))
		return 0;
	err = marker_location(h, OUTCOME_TABLE_FULL, &location);
	return err ?: add_sample(h, kind, &location, 1, &labels, count);
}

/* What a node has counted in the span. It goes on counting, so its count is read once. */
static int harvest_count(struct harvester *h, __u32 node)
{
	const struct harvest_span *s = h->span;
	__u64 now =
		s->until ? s->until[node] : __atomic_load_n(&h->tables->nodes[node].count, __ATOMIC_RELAXED);
	__u64 count = now - (s->since ? s->since[node] : 0);
	int err = 0;

	if (count)
		err = node < EVENT_KINDS ? harvest_overflow(h, node, count) : harvest_node(h, node, count);
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
	places_free(&p->places);
	*p = (struct harvest_progress){};
}

static int harvest_nodes(struct harvester *h, __u32 *next)
{
	const struct kernel_tables *t = h->tables;
	const __u32 end = h->span->nodes.end ?: t->node_count;
	int err = 0;

	for (; !err && *next < end; ++*next) {
		__u64 before = h->done;

		if (*next >= EVENT_KINDS && !t->nodes[*next].key)
			continue;
		err = harvest_count(h, *next);
		if (err)
			return err;
		h->stats.nodes += *next >= EVENT_KINDS;
		err = h->done != before && is_time_up(h) ? -EAGAIN : 0;
	}
	return err;
}

int harvest(const struct harvest_source *source, const struct harvest_span *span, struct profile *profile,
	    struct harvest_stats *ret_stats)
{
	const struct kernel_tables *t = source->tables;
	_cleanup_(harvest_end) struct harvest_progress at_once = {};
	struct harvest_progress *p = span->progress ?: &at_once;
	struct harvester h = {
		.tables = t,
		.codes = source->codes,
		.natives = source->natives,
		.kernel_names = source->kernel_names,
		.interpreter = source->interpreter,
		.hide_native = source->hide_native,
		.registry = source->registry,
		.pod_labels = source->pod_labels,
		.span = span,
		.columns = source->columns,
		.bytes_max = source->bytes_max ?: PROFILE_BYTES,
		.profile = profile,
		.places = &p->places,
		.pause_ns = span->progress ? span->pause_ns : 0,
		.stats = p->stats,
	};
	int err;

	if (p->next < span->nodes.first)
		p->next = span->nodes.first;
	if (!p->location_of)
		p->location_of = calloc(t->node_count, sizeof(p->location_of[0]));
	h.location_of = p->location_of;
	err = h.location_of ? harvest_nodes(&h, &p->next) : -ENOMEM;
	p->stats = h.stats;
	if (err == -EAGAIN)
		return err;
	h.stats.locations += p->places.count;
	harvest_end(p);
	if (!err)
		*ret_stats = h.stats;
	return err;
}
