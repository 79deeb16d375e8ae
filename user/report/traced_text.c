// SPDX-License-Identifier: GPL-2.0-only
/*
 * traced_text.c - a request on a line of time, as lines for people: a part for each thread.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/escapes.h"
#include "base/number.h"
#include "profile/short_path.h"
#include "report/traced.h"

struct trace_page {
	const struct traced *traced;
	bool colour;
	struct buf *out;
};

static const char *trace_style(const struct trace_page *p, const char *code)
{
	return p->colour ? code : "";
}

static int add_shown(struct trace_page *p, __u32 string)
{
	return buf_add_shown(p->out, recorded_get_string(p->traced->recorded, string), false);
}

/* In one unit, so that what stands below each other can be compared. */
static int add_ms(struct trace_page *p, __s64 ns)
{
	return buf_printf(p->out, "%9.1f ms", (double)ns / (double)NS_PER_MS);
}

static int text_place(struct trace_page *p, __u32 place)
{
	const struct recorded *r = p->traced->recorded;
	const struct recorded_place *at = recorded_get_place(r, place);
	const struct recorded_function *f = recorded_get_function(r, at->function);
	int err = add_shown(p, f->name);

	if (err || !f->file || f->file == f->name)
		return err;
	err = buf_add_string(p->out, " (") ?:
	      buf_add_shown(p->out, short_path(recorded_get_string(r, f->file)), false);
	if (!err && at->line)
		err = buf_printf(p->out, ":%lld", at->line);
	return err ?: buf_add_string(p->out, ")");
}

static int text_stretch(struct trace_page *p, const struct traced_stretch *s)
{
	const struct recorded *r = p->traced->recorded;
	const __u32 place = traced_place(p->traced, s), inner = traced_inner(p->traced, s);
	int err = add_ms(p, s->begin - p->traced->begin) ?: add_ms(p, s->end - s->begin);

	err = err ?: buf_printf(p->out, "  ") ?: add_shown(p, r->types[s->type].type);
	err = err ?: buf_add_string(p->out, place ? "  " : "  ?");
	if (!err && place)
		err = text_place(p, place);
	if (!err && inner)
		err = buf_add_string(p->out, traced_is_held(p->traced, s) ? ", held by " : ", ") ?:
		      text_place(p, inner);
	return err ?: buf_add_string(p->out, "\n");
}

static int add_thread_name(struct trace_page *p, __u32 name)
{
	int err = name ? buf_add_string(p->out, " \"") : 0;

	return err ?: name ? add_shown(p, name) ?: buf_add_string(p->out, "\"") : 0;
}

static int text_thread(struct trace_page *p, const struct traced_thread *t)
{
	const struct traced_stretch *s = p->traced->stretches + t->first;
	size_t left_out = 0;
	int err = buf_printf(p->out, "\n%sTime line of ", trace_style(p, BOLD));

	if (!err && t->tid)
		err = buf_printf(p->out, "thread %lld", t->tid) ?: add_thread_name(p, t->name) ?:
		      buf_add_string(p->out, " of ");
	err = err ?: buf_printf(p->out, "process %lld", t->pid) ?: add_thread_name(p, t->comm);
	err = err ?: buf_printf(p->out, "%s\n%s     after         for  what%s\n", trace_style(p, RESET),
				trace_style(p, DIM), trace_style(p, RESET));
	for (size_t i = 0; i < t->count && !err; i++) {
		left_out += !s[i].is_shown;
		err = s[i].is_shown ? text_stretch(p, &s[i]) : 0;
	}
	if (!err && left_out)
		err = buf_printf(p->out, "%26s%s shorter ones are not shown (--top)\n", "",
				 number_group(left_out).text);
	return err;
}

/* "1.234 s from 2026-11-25 16:22:36.123 UTC" */
static int add_trace_when(struct trace_page *p)
{
	const struct traced *t = p->traced;
	char text[CLOCK_DATE];

	if (!t->begin || !clock_date(t->begin, ' ', text))
		return buf_add_string(p->out, "when it was is not known");
	return buf_printf(p->out, "%.4f s from %s.%03lld UTC", (double)(t->end - t->begin) / 1e9, text,
			  t->begin % (__s64)NS_PER_SECOND / (__s64)NS_PER_MS);
}

int traced_text(const struct traced *t, bool colour, struct buf *out)
{
	struct trace_page p = { t, colour, out };
	int err = buf_printf(out, "%sTrace %s%s: ", trace_style(&p, BOLD), t->trace,
			     trace_style(&p, RESET)) ?: add_trace_when(&p);

	if (!err && t->thread_count)
		err = buf_printf(out, ", %zu thread%s", t->thread_count, t->thread_count == 1 ? "" : "s");
	err = err ?: buf_printf(out, ", %zu span%s\n", t->spans, t->spans == 1 ? "" : "s");
	for (size_t i = 0; i < t->thread_count && !err; i++)
		err = text_thread(&p, &t->threads[i]);
	return err;
}
