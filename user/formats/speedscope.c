// SPDX-License-Identifier: GPL-2.0-only
/*
 * speedscope.c - see speedscope.h. A frame of the file is a location: a line of a function. Samples are
 * sorted by thread, then by their frames from the root, so that a range of them is a thread.
 */
#include "formats/speedscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "formats/speedscope_events.h"
#include "profile/moments.h"
#include "profile/owner_text.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope_encoder {
	const struct profile *profile;
	struct buf *out;
	__u32 *order;	/* samples */
	__u32 profiles; /* written so far */
	__u32 active;	/* the one that is shown first: the heaviest of the first kind, */
	__u64 heaviest; /* ... which weighs this */
};

static int compare_by_thread(const void *a, const void *b, void *context)
{
	const struct profile *p = context;
	struct profile_stack x = profile_get_sample(p, *(const __u32 *)a);
	struct profile_stack y = profile_get_sample(p, *(const __u32 *)b);
	int order = timeline_compare_owners(p, x.owner, y.owner);

	while (!order && x.n && y.n)
		order = number_order(x.locations[--x.n], y.locations[--y.n]);
	return order ?: number_order(x.n, y.n);
}

static int add_speedscope_frame(const struct profile *p, __u32 location, struct buf *out)
{
	const struct profile_location *l = profile_get_location(p, location);
	const struct profile_function *f = profile_get_function(p, l->function);
	const char *file = profile_get_string(p, f->file);
	int err = buf_add_string(out, "{\"name\":") ?:
		  buf_add_json(out, f->name ? profile_get_string(p, f->name) : "?");

	if (!err && *file)
		err = buf_add_string(out, ",\"file\":") ?: buf_add_json(out, file);
	if (!err && l->line)
		err = buf_printf(out, ",\"line\":%u", l->line);
	if (!err && l->line && l->column)
		err = buf_printf(out, ",\"col\":%u", l->column);
	return err ?: buf_add(out, "}", 1);
}

/* When it began, UTC: the title of a profile that is of moments. */
static int add_date_title(const struct profile *p, struct buf *out)
{
	const __s64 start = profile_get_info(p)->start_unix_ns;
	char text[CLOCK_DATE];

	if (!profile_moments(p)->count || !clock_date(start, ' ', text))
		return 0;
	return buf_printf(out, "\"name\":\"%s.%09lld UTC\",", text, start % 1000000000);
}

static int add_frames(const struct profile *p, struct buf *out)
{
	const __u32 n = profile_count(p, PROFILE_LOCATION);
	int err = buf_add_string(out, "{\"$schema\":\"" SCHEMA "\",\"exporter\":\"pyperf-bpf\",") ?:
		  add_date_title(p, out) ?: buf_add_string(out, "\"shared\":{\"frames\":[");

	for (__u32 id = 1; id <= n && !err; id++)
		err = buf_add_string(out, id > 1 ? ",\n" : "\n") ?: add_speedscope_frame(p, id, out);
	return err ?: buf_add_string(out, "]},\"profiles\":[");
}

/* "offcpu: python3 (pid 12), MainThread (tid 13)"; prefix: NULL, or what stands before the colon. */
static int add_name(const struct speedscope_encoder *e, const char *prefix, __u32 owner)
{
	_cleanup_buf_ struct buf name = {};
	int err = prefix ? buf_printf(&name, "%s: ", prefix) : 0;

	err = err ?: owner_text_process(e->profile, owner, &name);
	if (!err && owner_text_has_thread(e->profile, owner))
		err = buf_add_string(&name, ", ") ?: owner_text_thread(e->profile, owner, &name);
	err = err ?: buf_add(&name, "", 1);
	return err ?: buf_add_json(e->out, name.data);
}

/* What a stack weighs: CPU time is time, and all else is what it is. */
static __u64 weight_of(const struct profile *p, enum event_kind kind, const struct profile_stack *s)
{
	const struct profile_info *info = profile_get_info(p);
	const bool is_time = *event_rows[kind].period;

	if (is_time && info->timed)
		return s->counts[PROFILE_TIME];
	return s->counts[kind] * (is_time ? info->period_ns : 1);
}

static const char *unit_of(enum event_kind kind)
{
	if (*event_rows[kind].period || event_rows[kind].unit == UNIT_NANOSECONDS)
		return "nanoseconds";
	return event_rows[kind].unit == UNIT_BYTES ? "bytes" : "none";
}

static int add_stack(const struct profile_stack *s, struct buf *out)
{
	int err = buf_add(out, "[", 1);

	for (__u32 i = s->n; i-- && !err;)
		err = buf_printf(out, i ? "%u," : "%u", s->locations[i] - 1);
	return err ?: buf_add(out, "]", 1);
}

/* The stacks of samples from..to that weigh something, or their weights. */
static int add_list(struct speedscope_encoder *e, enum event_kind kind, const __u32 *from, const __u32 *to,
		    bool weights)
{
	bool any = false;
	int err = 0;

	for (; from < to && !err; from++) {
		const struct profile_stack s = profile_get_sample(e->profile, *from);
		const __u64 weight = weight_of(e->profile, kind, &s);

		if (!weight)
			continue;
		err = any ? buf_add(e->out, ",", 1) : 0;
		err = err ?: weights ? buf_printf(e->out, "%llu", weight) : add_stack(&s, e->out);
		any = true;
	}
	return err;
}

static bool has_moments(const struct speedscope_encoder *e)
{
	return profile_moments(e->profile)->count;
}

/* period: what one sample of a kind weighs that is counted. It is ours; who does not know it ignores it. */
static int add_profile_head(struct speedscope_encoder *e, enum event_kind kind, __u32 owner, __u64 sum)
{
	const struct profile_info *info = profile_get_info(e->profile);
	const bool is_one = !(info->events & (info->events - 1)) && !has_moments(e);
	int err = buf_add_string(e->out, e->profiles ? ",\n{\"type\":\"sampled\",\"name\":" :
						       "\n{\"type\":\"sampled\",\"name\":");

	err = err ?: add_name(e, is_one ? NULL : event_rows[kind].key, owner);
	if (!err && *event_rows[kind].period && !info->timed)
		err = buf_printf(e->out, ",\"period\":%lld", info->period_ns);
	return err ?: buf_printf(e->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\"samples\":[",
				 unit_of(kind), sum);
}

/* One thread's samples. */
static int add_sampled_profile(struct speedscope_encoder *e, enum event_kind kind, const __u32 *from,
			       const __u32 *to)
{
	const __u32 owner = profile_get_sample(e->profile, *from).owner;
	__u64 sum = 0;
	int err;

	for (const __u32 *at = from; at < to; at++) {
		const struct profile_stack s = profile_get_sample(e->profile, *at);

		sum += weight_of(e->profile, kind, &s);
	}
	if (!sum)
		return 0;
	err = add_profile_head(e, kind, owner, sum) ?: add_list(e, kind, from, to, false) ?:
	      buf_add_string(e->out, "],\"weights\":[") ?: add_list(e, kind, from, to, true) ?:
	      buf_add_string(e->out, "]}");
	if (!has_moments(e) && kind == profile_shown(e->profile) && sum > e->heaviest) {
		e->heaviest = sum;
		e->active = e->profiles;
	}
	e->profiles++;
	return err;
}

static int add_speedscope_kind(struct speedscope_encoder *e, enum event_kind kind, __u32 n)
{
	int err = 0;

	for (__u32 from = 0, to; from < n && !err; from = to) {
		const __u32 owner = profile_get_sample(e->profile, e->order[from]).owner;

		for (to = from + 1; to < n; to++)
			if (timeline_compare_owners(e->profile, owner,
						    profile_get_sample(e->profile, e->order[to]).owner))
				break;
		err = add_sampled_profile(e, kind, e->order + from, e->order + to);
	}
	return err;
}

/* The time that a thread was seen in; ticks: at ticks alone. */
static __u64 seen_ns(const struct timeline_thread *t, bool ticks)
{
	__u64 sum = 0;

	for (size_t i = 0; i < t->count; i++)
		if (t->pieces[i].has_time && (!ticks || event_is_tick(t->pieces[i].kind)))
			sum += t->pieces[i].end - t->pieces[i].begin;
	return sum;
}

/* One thread as time passes. */
static int add_evented_profile(struct speedscope_encoder *e, const struct timeline_thread *t)
{
	const __u64 busy = seen_ns(t, true);
	int err;

	if (!seen_ns(t, false))
		return 0;
	err = buf_add_string(e->out, e->profiles ? ",\n{\"type\":\"evented\",\"name\":" :
						   "\n{\"type\":\"evented\",\"name\":");
	err = err ?: add_name(e, NULL, t->owner) ?:
	      buf_printf(e->out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%lld,\"events\":[",
			 profile_get_info(e->profile)->duration_ns);
	err = err ?: speedscope_events_add(e->profile, t, e->out) ?: buf_add_string(e->out, "]}");
	if (busy > e->heaviest) {
		e->heaviest = busy;
		e->active = e->profiles;
	}
	e->profiles++;
	return err;
}

static int add_threads(struct speedscope_encoder *e)
{
	_cleanup_(timeline_free) struct timeline t = {};
	int err = has_moments(e) ? timeline_new(&t, e->profile) : 0;

	for (size_t i = 0; i < t.count && !err; i++)
		err = add_evented_profile(e, &t.threads[i]);
	return err;
}

static int encode_speedscope(struct speedscope_encoder *e)
{
	const __u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	int err = add_frames(e->profile, e->out);

	for (__u32 i = 0; i < n; i++)
		e->order[i] = i + 1;
	qsort_r(e->order, n, sizeof(*e->order), compare_by_thread, (void *)e->profile);
	err = err ?: add_threads(e);
	for (int kind = 0; kind < EVENT_KINDS && !err; kind++)
		if (profile_get_info(e->profile)->events & EVENT_BIT(kind))
			err = add_speedscope_kind(e, kind, n);
	return err ?: buf_printf(e->out, "],\n\"activeProfileIndex\":%u}\n", e->active);
}

int speedscope_encode(const struct profile *p, struct buf *out)
{
	const size_t start = out->size;
	_cleanup_free_ __u32 *order = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1, sizeof(*order));
	struct speedscope_encoder e = { .profile = p, .out = out, .order = order };
	int err = order ? encode_speedscope(&e) : -ENOMEM;

	if (err)
		out->size = start;
	return err;
}
