// SPDX-License-Identifier: GPL-2.0-only
/*
 * traced_json.c - a request on a line of time, as JSON: "trace" of docs/schemas/report.json.
 */
#include <stdio.h>

#include "base/clock.h"
#include "report/traced.h"

static int add_string_member(const struct traced *t, const char *key, __u32 string, struct buf *out)
{
	return buf_add_member(out, key, recorded_get_string(t->recorded, string));
}

/* After the trace's begin, and how long. */
static int add_time(const struct traced *t, __s64 begin, __s64 end, struct buf *out)
{
	return buf_printf(out, "\"after\":%.9f,\"seconds\":%.9f", (double)(begin - t->begin) / 1e9,
			  (double)(end - begin) / 1e9);
}

static int json_place(const struct traced *t, __u32 place, const char *name, const char *file,
		      const char *line, struct buf *out)
{
	const struct recorded_place *p = place ? recorded_get_place(t->recorded, place) : NULL;
	const struct recorded_function *f = p ? recorded_get_function(t->recorded, p->function) : NULL;
	int err = f ? add_string_member(t, name, f->name, out) : 0;

	if (!err && f && f->file)
		err = add_string_member(t, file, f->file, out);
	if (!err && p && p->line)
		err = buf_printf(out, ",\"%s\":%lld", line, p->line);
	return err;
}

static int json_stretch(const struct traced *t, const struct traced_stretch *s, struct buf *out)
{
	const __u32 span = traced_span(t, s);
	const bool held = traced_is_held(t, s);
	int err = buf_add_string(out, "{") ?: add_time(t, s->begin, s->end, out);

	err = err ?: add_string_member(t, "event", t->recorded->types[s->type].type, out) ?:
	      add_string_member(t, "unit", t->recorded->types[s->type].unit, out);
	err = err ?: buf_printf(out, ",\"amount\":%lld,\"count\":%u", s->amount, s->count);
	err = err ?: json_place(t, traced_place(t, s), "name", "file", "line", out);
	err = err ?:
		      held ?
		      json_place(t, traced_inner(t, s), "held_by", "held_by_file", "held_by_line", out) :
		      json_place(t, traced_inner(t, s), "inner", "inner_file", "inner_line", out);
	if (!err && span)
		err = add_string_member(t, "span_id", span, out);
	return err ?: buf_add_string(out, "}");
}

static int json_thread(const struct traced *t, const struct traced_thread *thread, struct buf *out)
{
	const struct traced_stretch *s = t->stretches + thread->first;
	size_t shown = 0;
	int err = buf_add_string(out, "{") ?: add_time(t, thread->begin, thread->end, out);

	err = err ?: buf_printf(out, ",\"pid\":%lld", thread->pid) ?:
	      add_string_member(t, "process", thread->comm, out);
	if (!err && thread->tid)
		err = buf_printf(out, ",\"tid\":%lld", thread->tid) ?:
		      add_string_member(t, "thread", thread->name, out);
	err = err ?: buf_add_string(out, ",\"stretches\":[");
	for (size_t i = 0; i < thread->count && !err; i++)
		if (s[i].is_shown)
			err = buf_add_string(out, shown++ ? ",\n" : "\n") ?: json_stretch(t, &s[i], out);
	return err ?: buf_printf(out, "],\"left_out\":%zu}", thread->count - shown);
}

/* Of something that has times. */
static int add_begin(const struct traced *t, struct buf *out)
{
	char text[CLOCK_DATE];

	if (!t->begin || !clock_date(t->begin, 'T', text))
		return 0;
	return buf_printf(out, ",\"begin\":\"%s.%09lldZ\",\"seconds\":%.9f", text,
			  t->begin % (__s64)NS_PER_SECOND, (double)(t->end - t->begin) / 1e9);
}

int traced_json(const struct traced *t, struct buf *out)
{
	int err = buf_printf(out, "{\"id\":\"%s\"", t->trace) ?: add_begin(t, out);

	err = err ?: buf_printf(out, ",\"spans\":%zu,\"threads\":[", t->spans);
	for (size_t i = 0; i < t->thread_count && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "\n") ?: json_thread(t, &t->threads[i], out);
	return err ?: buf_add_string(out, "]}");
}
