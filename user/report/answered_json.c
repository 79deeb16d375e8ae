// SPDX-License-Identifier: GPL-2.0-only
/*
 * answered_json.c - an answer as JSON. What is in it is in docs/schemas/report.json; within a version of that
 * only additions are made.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "report/answered.h"
#include "report/chance.h"
#include "report/pushed_notes.h"

#define SCHEMA "pyperf-bpf.report/1"

static const char *json_text_of(const struct answered *a, __u32 string)
{
	return recorded_get_string(a->recorded, string);
}

static int add_start(const struct recorded *r, struct buf *out)
{
	char text[CLOCK_DATE];

	if (!r->start_ns || !clock_date(r->start_ns, 'T', text))
		return 0;
	return buf_printf(out, ",\"start\":\"%s.%03lldZ\"", text,
			  r->start_ns % (__s64)NS_PER_SECOND / (__s64)NS_PER_MS);
}

static int add_types(const struct answered *a, struct buf *out)
{
	const struct recorded *r = a->recorded;
	int err = buf_add_string(out, ",\"events\":[");

	for (size_t i = 0; i < r->type_count && !err; i++)
		err = buf_printf(out, "%s{\"event\":", i ? "," : "") ?:
		      buf_add_json(out, json_text_of(a, r->types[i].type)) ?:
		      buf_add_member(out, "unit", json_text_of(a, r->types[i].unit)) ?:
		      buf_add_string(out, "}");
	return err ?: buf_add_string(out, "]");
}

static int add_profile(const struct answered *a, struct buf *out)
{
	const struct recorded *r = a->recorded;
	const struct report_selection *c = &a->chosen;
	int err = buf_printf(out, "\"profile\":{\"files\":%zu", r->files) ?: add_start(r, out);

	err = err ?: buf_printf(out, ",\"seconds\":%.3f", (double)r->duration_ns / 1e9);
	err = err ?: buf_add_member(out, "event", selection_event(c)) ?:
	      buf_add_member(out, "unit", selection_unit(c));
	err = err ?: buf_printf(out, ",\"total\":%lld,\"kept\":%lld", c->total, c->kept);
	if (!err && c->has_counts)
		err = buf_printf(out, ",\"samples\":%lld", c->samples);
	return err ?: add_types(a, out) ?: buf_add_string(out, "}");
}

/* Of a share of samples, which are counts. */
static int add_bounds(const struct report_selection *c, const char *name, double share, struct buf *out)
{
	struct chance_bounds b;

	if (!c->has_counts || c->samples <= 0 || share < 0 || share > 1)
		return 0;
	b = chance_share(share, (double)c->samples);
	return buf_printf(out, ",\"%s_low\":%.6f,\"%s_high\":%.6f", name, b.low, name, b.high);
}

static int add_shares(const struct report_table *t, const struct table_row *row, struct buf *out)
{
	const double self = answered_share(t, row->self);
	const double total = answered_share(t, row->total);
	int err = buf_printf(out, ",\"self\":%lld,\"total\":%lld,\"self_share\":%.6f,\"total_share\":%.6f",
			     row->self, row->total, self, total);

	return err ?: add_bounds(t->chosen, "self_share", self, out) ?:
	       add_bounds(t->chosen, "total_share", total, out);
}

static int json_row(const struct answered *a, const struct report_table *t, const struct table_row *row,
		    struct buf *out)
{
	const struct row_key *key = row_keys_get(&t->keys, row->key);
	char id[17];
	int err = buf_add_string(out, "{\"name\":") ?: buf_add_json(out, json_text_of(a, key->name)) ?:
		  buf_add_member(out, "kind", json_text_of(a, key->kind));

	if (!err && key->file)
		err = buf_add_member(out, "file", json_text_of(a, key->file));
	if (!err && key->line)
		err = buf_printf(out, ",\"line\":%lld", key->line);
	if (!err && key->has_number)
		err = buf_printf(out, ",\"number\":%lld", key->number);
	if (!err && answered_source(a, t, row))
		err = buf_add_member(out, "source", answered_source(a, t, row));
	if (!err && t->shape == TABLE_TREE)
		err = buf_printf(out, ",\"depth\":%u", row->depth);
	row_keys_id(a->recorded, key, id);
	return err ?: add_shares(t, row, out) ?: buf_printf(out, ",\"id\":\"%s\"}", id);
}

static int json_rows(const struct answered *a, const struct report_table *t, struct buf *out)
{
	int err = buf_add_string(out, "[");

	for (size_t i = 0; i < t->shown && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "\n") ?: json_row(a, t, &t->rows[i], out);
	return err ?: buf_add_string(out, "]");
}

static int json_table(const struct answered *a, const struct report_table *t, struct buf *out)
{
	static const char *const shapes[] = {
		[TABLE_ROWS] = "rows", [TABLE_CALLERS] = "callers", [TABLE_CALLEES] = "callees",
		[TABLE_TREE] = "tree", [TABLE_LINES] = "lines",
	};
	const __s64 left = table_left_out(t);
	int err = buf_printf(out, "{\"shape\":\"%s\"", shapes[t->shape]);

	err = err ?: buf_add_member(out, "by",
				    t->keys.by == BY_LABEL ? a->question->by : by_rows[t->keys.by].name);
	if (!err && t->chosen != &a->chosen)
		err = buf_add_member(out, "event", selection_event(t->chosen)) ?:
		      buf_add_member(out, "unit", selection_unit(t->chosen)) ?:
		      buf_printf(out, ",\"event_total\":%lld", t->chosen->total);
	if (!err && t->of)
		err = buf_add_member(out, "of", t->of) ?:
		      buf_printf(out, ",\"of_self\":%lld,\"of_total\":%lld", t->self, t->total);
	err = err ?: buf_add_string(out, ",\"rows\":") ?: json_rows(a, t, out);
	err = err ?: buf_printf(out, ",\"left_out\":{\"rows\":%zu,\"self\":%lld,\"share\":%.6f}",
				t->count - t->shown, left, answered_share(t, left));
	return err ?: buf_printf(out, ",\"without\":%lld}", t->without);
}

static int add_tables(const struct answered *a, struct buf *out)
{
	int err = buf_add_string(out, "\"tables\":[");

	for (size_t i = 0; i < a->table_count && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "") ?: json_table(a, &a->tables[i], out);
	return err ?: buf_add_string(out, "]");
}

static int json_books(const struct answered *a, struct buf *out)
{
	const struct recorded *r = a->recorded;
	int err = buf_printf(out, "\"books\":{\"unlooked\":%llu,\"unreadable_files\":%zu", r->unlooked,
			     r->unreadable);

	if (!err && r->ticks_wanted) /* else no file says how many there were: 0 would be a total loss */
		err = buf_printf(out, ",\"ticks_came\":%llu,\"ticks_wanted\":%llu", r->ticks_came,
				 r->ticks_wanted);
	if (!err && r->pushed[false].is_store)
		err = buf_add_string(out, ",\"pushed\":") ?: pushed_notes_json(&r->pushed[false], out);
	err = err ?: buf_add_string(out, ",\"markers\":");
	err = err ?: json_rows(a, &a->markers, out) ?: buf_add_string(out, ",\"comments\":[");
	for (size_t i = 0; i < r->comment_count && !err; i++)
		err = buf_add_string(out, i ? "," : "") ?: buf_add_json(out, json_text_of(a, r->comments[i]));
	return err ?: buf_add_string(out, "]}");
}

static int json_notes(const struct answered *a, struct buf *out)
{
	int err = buf_add_string(out, "\"notes\":[");

	for (size_t i = 0; i < a->note_count && !err; i++)
		err = buf_printf(out, "%s{\"code\":\"%s\"", i ? ",\n" : "", a->notes[i].code) ?:
		      buf_add_member(out, "text", a->notes[i].text) ?: buf_add_string(out, "}");
	return err ?: buf_add_string(out, "]");
}

static int add_trace(const struct answered *a, struct buf *out)
{
	if (!a->traced.trace)
		return 0;
	return buf_add_string(out, ",\n\"trace\":") ?: traced_json(&a->traced, out);
}

static int json_findings(const struct answered *a, struct buf *out)
{
	if (!a->findings)
		return 0;
	return buf_add_string(out, ",\n\"findings\":") ?: findings_json(a->findings, out);
}

int answered_json(const struct answered *a, struct buf *out)
{
	int err = buf_add_string(out, "{\"schema\":\"" SCHEMA "\",\n");

	err = err ?: add_profile(a, out) ?: buf_add_string(out, ",\n") ?: json_books(a, out) ?:
	      buf_add_string(out, ",\n") ?: add_tables(a, out) ?: buf_add_string(out, ",\n") ?:
	      json_notes(a, out) ?: json_findings(a, out) ?: add_trace(a, out);
	return err ?: buf_add_string(out, "}\n");
}
