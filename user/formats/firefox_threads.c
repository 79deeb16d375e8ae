// SPDX-License-Identifier: GPL-2.0-only
/*
 * firefox_threads.c - see firefox_threads.h. What the samples of a thread count is the profile's first kind
 * of event: ticks, or time, or bytes. All other kinds are markers.
 */
#include "formats/firefox_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "formats/firefox_markers.h"
#include "formats/firefox_stacks.h"
#include "profile/moments.h"
#include "profile/owner_text.h"
#include "profile/profile.h"
#include "profile/timeline.h"

struct firefox_writer {
	const struct profile *profile;
	const struct firefox_stacks *stacks;
	struct buf *out;
	enum event_kind kind; /* of the samples */
};

/* --- without moments ------------------------------------------------------------------------------------ */

static int compare_owners(const void *a, const void *b, void *profile)
{
	const struct timeline_piece *x = a, *y = b;
	const __u32 of_x = profile_get_sample(profile, x->sample).owner,
		    of_y = profile_get_sample(profile, y->sample).owner;
	int order = timeline_compare_owners(profile, of_x, of_y);

	return order ?: (x->sample > y->sample) - (x->sample < y->sample);
}

/* What a count takes, where samples stand one behind the other. */
static __u64 width_of_count(const struct firefox_writer *w, __u64 count)
{
	const bool ticks = event_rows[w->kind].unit == UNIT_COUNT;

	return ticks ? count * profile_get_info(w->profile)->period_ns : count;
}

/* A piece for each sample, one behind the other. */
static int line_up(const struct firefox_writer *w, struct timeline *t)
{
	const struct profile *p = w->profile;
	const __u32 count = profile_count(p, PROFILE_SAMPLE);
	size_t n = 0;

	t->pieces = calloc((size_t)count + 1, sizeof(*t->pieces));
	t->threads = calloc((size_t)count + 1, sizeof(*t->threads));
	if (!t->pieces || !t->threads)
		return -ENOMEM;
	for (__u32 id = 1; id <= count; id++) {
		const __u64 amount = profile_get_sample(p, id).counts[w->kind];

		if (amount)
			t->pieces[n++] = (struct timeline_piece){
				.amount = amount, .sample = id, .kind = w->kind, .has_time = true
			};
	}
	qsort_r(t->pieces, n, sizeof(*t->pieces), compare_owners, (void *)p);
	for (size_t i = 0; i < n; i++) {
		const __u32 owner = profile_get_sample(p, t->pieces[i].sample).owner;
		struct timeline_thread *last = t->count ? &t->threads[t->count - 1] : NULL;
		const bool same = last && !timeline_compare_owners(p, last->owner, owner);

		t->pieces[i].begin = same ? t->pieces[i - 1].end : 0;
		t->pieces[i].end = t->pieces[i].begin + width_of_count(w, t->pieces[i].amount);
		if (same)
			last->count++;
		else
			t->threads[t->count++] = (struct timeline_thread){ owner, &t->pieces[i], 1 };
	}
	return 0;
}

/* --- samples -------------------------------------------------------------------------------------------- */

static bool is_sample(const struct firefox_writer *w, const struct timeline_piece *piece)
{
	return piece->kind == w->kind;
}

enum sample_column { STACK, TIME, WEIGHT, CPU };

static int add_sample_value(const struct firefox_writer *w, enum sample_column column,
			    const struct timeline_piece *piece)
{
	switch (column) {
	case STACK:
		return buf_printf(w->out, "%u", w->stacks->of_sample[piece->sample - 1]);
	case TIME:
		return buf_printf(w->out, "%.6f", piece->begin / 1e6);
	case WEIGHT:
		return event_rows[w->kind].unit == UNIT_NANOSECONDS ?
			       buf_printf(w->out, "%.6f", piece->amount / 1e6) :
			       buf_printf(w->out, "%llu", piece->amount);
	case CPU:
		break;
	}
	return buf_printf(w->out, "%llu", w->kind == EVENT_CPU ? width_of_count(w, piece->amount) : 0);
}

static int add_sample_column(const struct firefox_writer *w, const struct timeline_thread *t,
			     const char *name, enum sample_column column, size_t *ret_count)
{
	int err = buf_printf(w->out, "\"%s\":[", name);
	size_t n = 0;

	for (size_t i = 0; i < t->count && !err; i++) {
		if (!is_sample(w, &t->pieces[i]))
			continue;
		err = (n ? buf_add(w->out, ",", 1) : 0) ?: add_sample_value(w, column, &t->pieces[i]);
		n++;
	}
	*ret_count = n;
	return err ?: buf_add_string(w->out, "],");
}

static int add_thread_samples(const struct firefox_writer *w, const struct timeline_thread *t)
{
	static const char *const weights[] = {
		[UNIT_COUNT] = "samples", [UNIT_NANOSECONDS] = "tracing-ms", [UNIT_BYTES] = "bytes"
	};
	size_t n;
	int err = buf_add_string(w->out, "\"samples\":{") ?: add_sample_column(w, t, "stack", STACK, &n) ?:
		  add_sample_column(w, t, "time", TIME, &n) ?: add_sample_column(w, t, "weight", WEIGHT, &n);

	if (!err && w->kind == EVENT_CPU)
		err = add_sample_column(w, t, "threadCPUDelta", CPU, &n);
	return err ?: buf_printf(w->out, "\"weightType\":\"%s\",\"length\":%zu},\n",
				 weights[event_rows[w->kind].unit], n);
}

/* --- threads -------------------------------------------------------------------------------------------- */

static int add_firefox_thread(const struct firefox_writer *w, const struct timeline_thread *t,
			      struct firefox_markers *m)
{
	const struct profile_owner *o = profile_get_owner(w->profile, t->owner);
	_cleanup_buf_ struct buf process = {}, thread = {};
	int err = owner_text_process(w->profile, t->owner, &process) ?: buf_add(&process, "", 1);

	if (!err)
		err = (owner_text_has_thread(w->profile, t->owner) ?
			       owner_text_thread(w->profile, t->owner, &thread) :
			       owner_text_process(w->profile, t->owner, &thread)) ?: buf_add(&thread, "", 1);
	err = err ?: buf_printf(w->out, "{\"processType\":\"default\",\"processStartupTime\":0,"
					"\"processShutdownTime\":null,\"registerTime\":0,"
					"\"unregisterTime\":null,\"pausedRanges\":[],"
					"\"showMarkersInTimeline\":true,\"isMainThread\":%s,\"pid\":\"%u\","
					"\"tid\":%u,\"processName\":",
				o->tid == o->pid || !o->tid ? "true" : "false", o->pid, o->tid ?: o->pid);
	return err ?: buf_add_json(w->out, process.data) ?: buf_add_string(w->out, ",\"name\":") ?:
	       buf_add_json(w->out, thread.data) ?: buf_add_string(w->out, ",\n") ?:
	       add_thread_samples(w, t) ?:
	       firefox_markers_write(m, t, w->kind, w->out) ?: buf_add_string(w->out, "}");
}

int firefox_threads_write(const struct profile *p, const struct firefox_stacks *s, struct buf *out)
{
	const struct firefox_writer w = { p, s, out, profile_shown(p) };
	const bool timed = profile_moments(p)->count;
	_cleanup_(timeline_free) struct timeline t = {};
	_cleanup_(firefox_markers_close) struct firefox_markers m = {};
	int err = timed ? timeline_new(&t, p) : line_up(&w, &t);

	err = err ?: firefox_markers_open(&m, p, s, timed);
	err = err ?: buf_add_string(out, "\"threads\":[");
	for (size_t i = 0; i < t.count && !err; i++)
		err = (i ? buf_add_string(out, ",\n") : 0) ?: add_firefox_thread(&w, &t.threads[i], &m);
	return err ?: buf_add_string(out, "]");
}
