// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_json.c - two profiles beside each other, as JSON: docs/schemas/diff.json.
 */
#include <stdio.h>

#include "report/compared.h"
#include "report/pushed_notes.h"

#define SCHEMA "pyperf-bpf.diff/1"

static int json_side(const struct compared *c, bool is_base, struct buf *out)
{
	const struct compared_side *s = is_base ? &c->base : &c->now;
	const struct recorded *r = c->recorded;
	const char *name = is_base ? "base" : "new";
	int err = buf_printf(out, "\"%s\":{\"seconds\":%.3f,\"total\":%lld,\"kept\":%lld", name,
			     (double)s->duration_ns / 1e9, s->chosen.total, s->chosen.kept);

	if (!err && s->chosen.has_counts)
		err = buf_printf(out, ",\"samples\":%lld", s->chosen.samples);
	if (!err && r->nodes[is_base])
		err = buf_printf(out, ",\"nodes\":%zu", r->nodes[is_base]);
	if (!err && r->pushed[is_base].is_store)
		err = buf_add_string(out, ",\"pushed\":") ?: pushed_notes_json(&r->pushed[is_base], out);
	return err ?: buf_add_string(out, "},\n");
}

static int add_values(const struct compared *c, const struct compared_row *row, struct buf *out)
{
	int err = buf_printf(out,
			     "\"base_self\":%lld,\"new_self\":%lld,\"base_total\":%lld,\"new_total\":%lld,"
			     "\"self\":%.0f,\"total\":%.0f",
			     row->base_self, row->new_self, row->base_total, row->new_total, row->self,
			     row->total);

	if (!err && c->has_chance)
		err = buf_printf(out, ",\"self_low\":%.0f,\"self_high\":%.0f", row->self_low, row->self_high);
	return err ?: buf_printf(out, ",\"beyond_chance\":%s", row->is_beyond ? "true" : "false");
}

static int json_diff_row(const struct compared *c, const struct compared_row *row, struct buf *out)
{
	const struct recorded *r = c->recorded;
	char id[17];
	int err = buf_add_string(out, "{\"name\":") ?:
		  buf_add_json(out, recorded_get_string(r, row->key.name)) ?:
		  buf_add_string(out, ",\"kind\":") ?:
		  buf_add_json(out, recorded_get_string(r, row->key.kind));

	if (!err && row->key.file)
		err = buf_add_string(out, ",\"file\":") ?:
		      buf_add_json(out, recorded_get_string(r, row->key.file));
	if (!err && row->key.line)
		err = buf_printf(out, ",\"line\":%lld", row->key.line);
	if (!err && row->base_line && row->base_line != row->key.line)
		err = buf_printf(out, ",\"base_line\":%lld", row->base_line);
	if (!err && row->key.has_number)
		err = buf_printf(out, ",\"number\":%lld", row->key.number);
	if (!err && row->node)
		err = buf_add_string(out, ",\"node\":") ?:
		      buf_add_json(out, recorded_get_string(r, row->node));
	row_keys_id(r, &row->key, id);
	return err ?: buf_add_string(out, ",") ?: add_values(c, row, out) ?:
	       buf_printf(out, ",\"id\":\"%s\"}", id);
}

int compared_json(const struct compared *c, struct buf *out)
{
	int err = buf_add_string(out, "{\"schema\":\"" SCHEMA "\",\n\"event\":") ?:
		  buf_add_json(out, selection_event(&c->now.chosen)) ?: buf_add_string(out, ",\"unit\":") ?:
		  buf_add_json(out, selection_unit(&c->now.chosen)) ?:
		  buf_printf(out, ",\"scale\":%.9g,\n", c->scale);

	err = err ?: json_side(c, true, out) ?: json_side(c, false, out);
	err = err ?: buf_add_string(out, "\"whole\":{") ?: add_values(c, &c->whole, out);
	err = err ?: buf_printf(out, "},\n\"by\":\"%s\",\"rows\":[", by_rows[c->now.table.keys.by].name);
	for (size_t i = 0; i < c->shown && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "\n") ?: json_diff_row(c, &c->rows[i], out);
	return err ?: buf_printf(out, "],\n\"left_out\":%zu}\n", c->count - c->shown);
}
