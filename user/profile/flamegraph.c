// SPDX-License-Identifier: GPL-2.0-only
/*
 * flamegraph.c - see flamegraph.h. Sorted by process, then by frames from the root, the stacks below one
 * frame of the tree are neighbours: a range of them is a frame, and parts of it are its callees.
 */
#include "profile/flamegraph.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/graph_tables.h"
#include "profile/shown.h"

struct encoder {
	const struct profile *profile;
	struct buf *out;
	__u32 *order; /* samples */
	__u64 *sums;  /* sum of the counts before the i-th sample */
	const bool *stop;
	__u32 heads; /* rows above the frames: the process and, if any sample has one, the endpoint */
};

static bool is_stopped(const struct encoder *e)
{
	return e->stop && __atomic_load_n(e->stop, __ATOMIC_RELAXED);
}

/* What makes a frame of a stack the same as that of another one: the process, the endpoint, functions. */
static __u32 frame_key(const struct encoder *e, const struct profile_stack *s, __u32 depth)
{
	const struct profile *p = e->profile;

	if (!depth)
		return profile_get_owner(p, s->owner)->pid;
	if (depth < e->heads)
		return profile_get_owner(p, s->owner)->endpoint;
	return profile_get_location(p, s->locations[s->n + e->heads - 1 - depth])->function;
}

static int compare_samples(const void *a, const void *b, void *context)
{
	const struct encoder *e = context;
	const struct profile *p = e->profile;
	struct profile_stack x = profile_get_sample(p, *(const __u32 *)a);
	struct profile_stack y = profile_get_sample(p, *(const __u32 *)b);

	if (is_stopped(e)) /* the order is not looked at any more */
		return 0;
	for (__u32 depth = 0; depth < x.n + e->heads && depth < y.n + e->heads; depth++) {
		__u32 of_x = frame_key(e, &x, depth), of_y = frame_key(e, &y, depth);

		if (of_x != of_y)
			return of_x < of_y ? -1 : 1;
	}
	return (x.n > y.n) - (x.n < y.n);
}

static int add_process(struct encoder *e, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(e->profile, owner);
	_cleanup_buf_ struct buf name = {};
	int err = buf_printf(&name, "%s (pid %u", profile_get_string(e->profile, o->comm), o->pid);

	for (int i = LABEL_COUNT; !err && i-- > 0;)
		if (label_rows[i].outputs & IN_FRAME && o->label[i])
			err = buf_printf(&name, ", %s", profile_get_string(e->profile, o->label[i]));
	if (!err)
		err = buf_add(&name, ")", 2);
	return err ?: buf_add_json(e->out, name.data);
}

static int add_function(struct encoder *e, __u32 id)
{
	const struct profile_function *f = profile_get_function(e->profile, id);
	const char *name = profile_get_string(e->profile, f->name),
		   *file = profile_get_string(e->profile, f->file);
	int err = buf_add_json(e->out, *name ? name : "?");

	if (!err && f->kind)
		err = buf_printf(e->out, ",\"kind\":\"%s\"", frame_rows[f->kind].key);
	if (err || !*file)
		return err;
	err = buf_add_string(e->out, ",\"file\":") ?: buf_add_json(e->out, file);
	if (err || !f->start_line)
		return err;
	e->out->size--; /* the line number goes inside of the quotes */
	return buf_printf(e->out, ":%u\"", f->start_line);
}

static int add_endpoint(struct encoder *e, __u32 text)
{
	return buf_add_json(e->out, text ? profile_get_string(e->profile, text) : "(no endpoint)") ?:
	       buf_add_string(e->out, ",\"kind\":\"endpoint\"");
}

static int add_children(struct encoder *e, __u32 from, __u32 to, __u32 depth);

/* The frame at this depth that the samples from..to have in common. */
static int add_frame(struct encoder *e, __u32 from, __u32 to, __u32 depth)
{
	struct profile_stack s = profile_get_sample(e->profile, e->order[from]);
	int err = buf_add_string(e->out, "{\"name\":");

	if (!err)
		err = !depth ? add_process(e, s.owner) :
		      depth < e->heads ? add_endpoint(e, frame_key(e, &s, depth)) :
					 add_function(e, frame_key(e, &s, depth));
	if (!err)
		err = buf_printf(e->out, ",\"value\":%llu", e->sums[to] - e->sums[from]);
	if (!err)
		err = add_children(e, from, to, depth + 1);
	return err ?: buf_add_string(e->out, "}");
}

static int add_children(struct encoder *e, __u32 from, __u32 to, __u32 depth)
{
	bool any = false;
	__u64 least = profile_total(e->profile) / FLAMEGRAPH_PARTS;
	int err = 0;

	while (!err && from < to) {
		struct profile_stack s = profile_get_sample(e->profile, e->order[from]);
		__u32 end = from + 1, key;

		if (is_stopped(e))
			return -ECANCELED;
		if (depth >= s.n + e->heads) { /* ends above */
			from++;
			continue;
		}
		key = frame_key(e, &s, depth);
		for (; end < to; end++) {
			s = profile_get_sample(e->profile, e->order[end]);
			if (frame_key(e, &s, depth) != key)
				break;
		}
		if (e->sums[end] - e->sums[from] >= least) {
			err = buf_add_string(e->out, any ? "," : ",\"children\":[")
				      ?: add_frame(e, from, end, depth);
			any = true;
		}
		from = end;
	}
	return err || !any ? err : buf_add_string(e->out, "]");
}

static __u32 count_heads(const struct profile *p)
{
	for (__u32 id = 1; id <= profile_count(p, PROFILE_OWNER); id++)
		if (profile_get_owner(p, id)->endpoint)
			return 2;
	return 1;
}

static int encode(struct encoder *e)
{
	const enum event_unit unit = shown_unit(e->profile);
	const struct profile_info *info = profile_get_info(e->profile);
	__u32 n = 0;
	int err;

	for (__u32 id = 1; id <= profile_count(e->profile, PROFILE_SAMPLE); id++)
		if (profile_get_sample(e->profile, id).count) /* else it is of another kind of event */
			e->order[n++] = id;
	qsort_r(e->order, n, sizeof(*e->order), compare_samples, e);
	if (is_stopped(e))
		return -ECANCELED;
	for (__u32 i = 0; i < n; i++)
		e->sums[i + 1] = e->sums[i] + profile_get_sample(e->profile, e->order[i]).count;
	err = buf_printf(e->out, "{\"name\":\"all\",\"value\":%llu,\"values\":\"%s\"", e->sums[n],
			 unit == UNIT_COUNT ? event_rows[profile_shown(e->profile)].type :
					      event_unit_name(unit));
	if (!err)
		err = buf_printf(e->out, ",\"seconds\":%.1f,\"start\":%lld", info->duration_ns / 1e9,
				 info->start_unix_ns / 1000000000LL);
	if (!err)
		err = graph_add_kinds(e->out);
	if (!err)
		err = add_children(e, 0, n, 0);
	return err ?: buf_add_string(e->out, "}\n");
}

int flamegraph_encode(const struct profile *p, struct buf *out)
{
	return flamegraph_encode_until(p, NULL, out);
}

int flamegraph_encode_until(const struct profile *p, const bool *stop, struct buf *out)
{
	size_t n = profile_count(p, PROFILE_SAMPLE), start = out->size;
	_cleanup_free_ __u32 *order = calloc(n + 1, sizeof(*order));
	_cleanup_free_ __u64 *sums = calloc(n + 1, sizeof(*sums));
	struct encoder e = { p, out, order, sums, stop, count_heads(p) };
	int err = order && sums ? encode(&e) : -ENOMEM;

	if (err)
		out->size = start;
	return err;
}
