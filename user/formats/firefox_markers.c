// SPDX-License-Identifier: GPL-2.0-only
#include "formats/firefox_markers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "formats/firefox_stacks.h"
#include "profile/profile.h"

static const struct {
	const char *key, *title;
} spans[] = {
	[FIREFOX_IMPORT - EVENT_KINDS] = { "import", "Import" },
	[FIREFOX_GC - EVENT_KINDS] = { "gc", "Garbage collection" },
};

const char *firefox_marker_key(int type)
{
	return type < EVENT_KINDS ? event_rows[type].key : spans[type - EVENT_KINDS].key;
}

const char *firefox_marker_title(int type)
{
	return type < EVENT_KINDS ? event_rows[type].resource : spans[type - EVENT_KINDS].title;
}

bool firefox_marker_tells_holder(int type)
{
	return type < EVENT_KINDS && event_rows[type].tells_holder;
}

/* --- which samples are within what ---------------------------------------------------------------------- */

/* As attributes_is_import() of the room tree: every import of a module that is not there yet passes here. */
static bool is_import(const struct profile *p, __u32 location)
{
	const struct profile_function *f =
		profile_get_function(p, profile_get_location(p, location)->function);

	return !strcmp(profile_get_string(p, f->name), "_find_and_load") &&
	       !strcmp(profile_get_string(p, f->file), "<frozen importlib._bootstrap>");
}

static void find_imports(struct firefox_markers *m, const bool *of_location)
{
	for (__u32 id = 1; id <= profile_count(m->profile, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(m->profile, id);

		for (__u32 i = 0; i < s.n && !m->imports[id - 1]; i++)
			m->imports[id - 1] = of_location[s.locations[i]];
	}
}

int firefox_markers_open(struct firefox_markers *m, const struct profile *p, const struct firefox_stacks *s,
			 bool timed)
{
	const __u32 n = profile_count(p, PROFILE_LOCATION);
	_cleanup_free_ bool *of_location = calloc((size_t)n + 1, sizeof(*of_location));

	*m = (struct firefox_markers){ .profile = p, .stacks = s };
	if (!timed)
		return 0;
	m->imports = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1, sizeof(*m->imports));
	if (!of_location || !m->imports)
		return -ENOMEM;
	for (__u32 id = 1; id <= n; id++)
		of_location[id] = is_import(p, id);
	find_imports(m, of_location);
	return 0;
}

void firefox_markers_close(struct firefox_markers *m)
{
	free(m->imports);
	free(m->list);
	*m = (struct firefox_markers){};
}

/* Only ticks know of collections. */
static bool is_within(const struct firefox_markers *m, const struct timeline_piece *piece, int type)
{
	const struct profile_stack s = profile_get_sample(m->profile, piece->sample);

	if (type == FIREFOX_IMPORT)
		return m->imports[piece->sample - 1];
	return event_rows[piece->kind].unit == UNIT_COUNT && profile_get_owner(m->profile, s.owner)->gc;
}

/* --- the list ------------------------------------------------------------------------------------------- */

static int add(struct firefox_markers *m, const struct timeline_piece *one)
{
	if (m->count == m->capacity) {
		const size_t capacity = m->capacity ? 2 * m->capacity : 256;
		struct timeline_piece *grown = reallocarray(m->list, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		m->list = grown;
		m->capacity = capacity;
	}
	m->list[m->count++] = *one;
	return 0;
}

static int end_span(struct firefox_markers *m, struct timeline_piece *span)
{
	const bool is_open = span->sample;
	const struct timeline_piece whole = *span;

	*span = (struct timeline_piece){};
	return is_open ? add(m, &whole) : 0;
}

/* Pieces that follow each other, nearer than one and a half times what passes between two ticks. */
static int add_spans(struct firefox_markers *m, const struct timeline_thread *t, int type)
{
	const __u64 period = profile_get_info(m->profile)->period_ns;
	struct timeline_piece span = {};
	int err = 0;

	for (size_t i = 0; i < t->count && !err; i++) {
		const struct timeline_piece *piece = &t->pieces[i];
		const bool within = piece->has_time && is_within(m, piece, type);

		if (!piece->has_time)
			continue;
		if (!within || piece->begin > span.end + period * 3 / 2)
			err = end_span(m, &span);
		if (!within)
			continue;
		if (!span.sample)
			span = (struct timeline_piece){ .begin = piece->begin, .sample = piece->sample,
							.kind = type, .has_time = true };
		span.end = piece->end;
		span.amount = span.end - span.begin;
	}
	return err ?: end_span(m, &span);
}

/* Time of others that a wait stands for has no place of its own. */
static bool is_marker(const struct timeline_piece *piece, enum event_kind samples)
{
	return piece->kind != samples &&
	       (piece->has_time || event_rows[piece->kind].unit != UNIT_NANOSECONDS);
}

static int by_begin(const void *a, const void *b)
{
	const struct timeline_piece *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin) ?: (x->end < y->end) - (x->end > y->end) ?:
	       (x->kind > y->kind) - (x->kind < y->kind);
}

static int list_markers(struct firefox_markers *m, const struct timeline_thread *t, enum event_kind samples)
{
	int err = 0;

	m->count = 0;
	for (size_t i = 0; i < t->count && !err; i++)
		if (is_marker(&t->pieces[i], samples))
			err = add(m, &t->pieces[i]);
	for (int type = EVENT_KINDS; type < FIREFOX_MARKERS && m->imports && !err; type++)
		err = add_spans(m, t, type);
	if (!err && m->count)
		qsort(m->list, m->count, sizeof(*m->list), by_begin);
	return err;
}

/* --- as JSON -------------------------------------------------------------------------------------------- */

static int add_location_text(const struct profile *p, __u32 location, struct buf *out)
{
	const struct profile_location *l = profile_get_location(p, location);
	const struct profile_function *f = profile_get_function(p, l->function);
	const char *file = base_name(profile_get_string(p, f->file));
	int err = buf_add_string(out, f->name ? profile_get_string(p, f->name) : "?");

	if (err || !*file)
		return err;
	return l->line ? buf_printf(out, " (%s:%u)", file, l->line) : buf_printf(out, " (%s)", file);
}

static enum frame_kind kind_of(const struct profile *p, __u32 location)
{
	return profile_get_function(p, profile_get_location(p, location)->function)->kind;
}

/* From which frame on towards the root the thread's own line is looked for. */
static __u32 own_first(const struct profile *p, const struct profile_stack *s, int type)
{
	__u32 first = 0;

	for (__u32 i = 0; i < s->n; i++) {
		if (firefox_marker_tells_holder(type) && kind_of(p, s->locations[i]) == FRAME_WAIT)
			first = i; /* what its holder did is above that */
		if (type == FIREFOX_IMPORT && is_import(p, s->locations[i]))
			first = i + 1; /* the statement that imports is below the machinery */
	}
	return first;
}

/* The thread's own line of Python, 0 = there is none. */
static __u32 own_line(const struct profile *p, const struct profile_stack *s, int type)
{
	for (__u32 i = own_first(p, s, type); i < s->n; i++)
		if (kind_of(p, s->locations[i]) == FRAME_PYTHON)
			return s->locations[i];
	return 0;
}

static int add_text_of(const struct profile *p, const char *name, __u32 location, struct buf *out)
{
	_cleanup_buf_ struct buf text = {};
	int err = location ? add_location_text(p, location, &text) : 0;

	err = err ?: buf_add(&text, "", 1);
	return err ?: buf_add_member(out, name, text.data);
}

/* why: the innermost frame, which for the GIL is what its holder did. Of a span it is where it began. */
static int add_marker_data(const struct firefox_markers *m, const struct timeline_piece *piece,
			   struct buf *out)
{
	const struct profile *p = m->profile;
	const struct profile_stack s = profile_get_sample(p, piece->sample);
	const __u32 line = own_line(p, &s, piece->kind);

	return buf_printf(out, "{\"type\":\"%s\"", firefox_marker_key(piece->kind)) ?:
	       add_text_of(p, "why", piece->kind < EVENT_KINDS ? s.locations[0] : line, out) ?:
	       add_text_of(p, "where", line, out) ?:
	       buf_printf(out, ",\"amount\":%llu,\"cause\":{\"time\":%.6f,\"stack\":%u}}", piece->amount,
			  piece->begin / 1e6, m->stacks->of_sample[piece->sample - 1]);
}

enum marker_column { DATA, NAME, START, END, PHASE, CATEGORY };

static int add_marker_value(const struct firefox_markers *m, enum marker_column column,
			    const struct timeline_piece *piece, struct buf *out)
{
	const struct profile_stack s = profile_get_sample(m->profile, piece->sample);

	switch (column) {
	case DATA:
		return add_marker_data(m, piece, out);
	case NAME:
		return buf_printf(out, "%u", profile_count(m->profile, PROFILE_STRING) + 2 + piece->kind);
	case START:
		return buf_printf(out, "%.6f", piece->begin / 1e6);
	case END:
		return piece->has_time ? buf_printf(out, "%.6f", piece->end / 1e6) :
					 buf_add_string(out, "null");
	case PHASE: /* 0: a moment, 1: from begin to end */
		return buf_add(out, piece->has_time ? "1" : "0", 1);
	case CATEGORY:
		break;
	}
	return buf_printf(out, "%u", kind_of(m->profile, s.locations[0]));
}

int firefox_markers_write(struct firefox_markers *m, const struct timeline_thread *t, enum event_kind samples,
			  struct buf *out)
{
	static const char *const names[] = { "data", "name", "startTime", "endTime", "phase", "category" };
	int err = list_markers(m, t, samples) ?: buf_add_string(out, "\"markers\":{");

	for (enum marker_column c = DATA; c <= CATEGORY && !err; c++) {
		err = buf_printf(out, "\"%s\":[", names[c]);
		for (size_t i = 0; i < m->count && !err; i++)
			err = (i ? buf_add(out, ",", 1) : 0) ?: add_marker_value(m, c, &m->list[i], out);
		err = err ?: buf_add_string(out, "],");
	}
	return err ?: buf_printf(out, "\"length\":%zu}", m->count);
}
