// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_markdown.c - two profiles beside each other, as a table in Markdown for a comment of a merge
 * request. Names come from programs: each stands in a span of code, where nothing of it means anything.
 */
#include <stdio.h>

#include "base/number.h"
#include "profile/short_path.h"
#include "report/amount.h"
#include "report/compared.h"
#include "report/pushed_notes.h"
#include "views/table_cell.h"

#define NAME_WIDTH  60
#define PLACE_WIDTH 60
#define NOTE_WIDTH  512

struct diff_table {
	const struct compared *compared;
	struct buf *out;
	struct amount_unit unit;
	struct buf cell;
};

/* A span of code has no escapes: what would end it, or the cell, stands as something like it. */
static int add_code(struct diff_table *t, size_t width, bool is_path)
{
	const struct table_cell c = table_cell_cut(&t->cell, width, is_path);
	int err = buf_printf(t->out, "`%s", c.before);

	for (size_t i = 0; i < c.size && !err; i++)
		err = c.text[i] == '`'	? buf_add_string(t->out, "'") :
		      c.text[i] == '|'	? buf_add_string(t->out, "\302\246") : /* a broken bar */
		      c.text[i] == '\\' ? buf_add_string(t->out, "/") :
					  buf_add(t->out, &c.text[i], 1);
	return err ?: buf_printf(t->out, "%s`", c.behind);
}

static int add_markdown_name(struct diff_table *t, const struct row_key *key)
{
	const struct recorded *r = t->compared->recorded;
	int err = 0;

	buf_clear(&t->cell);
	if (key->has_number)
		err = buf_printf(&t->cell, "%lld%s", key->number, key->name ? "  " : "");
	err = err ?: buf_add_shown(&t->cell, recorded_get_string(r, key->name), false);
	table_cell_drop_locals(&t->cell);
	err = err ?: add_code(t, NAME_WIDTH, key->name == key->file) ?: buf_add_string(t->out, " | ");
	if (err || !key->file || key->name == key->file)
		return err;
	buf_clear(&t->cell);
	err = buf_add_shown(&t->cell, short_path(recorded_get_string(r, key->file)), false);
	if (!err && key->line)
		err = buf_printf(&t->cell, ":%lld", key->line);
	return err ?: add_code(t, PLACE_WIDTH, true);
}

static int add_only_node(struct diff_table *t, __u32 node)
{
	buf_clear(&t->cell);
	return buf_add_string(t->out, " only on ") ?:
	       buf_add_shown(&t->cell, recorded_get_string(t->compared->recorded, node), false) ?:
	       add_code(t, NAME_WIDTH, false);
}

static int markdown_row(struct diff_table *t, const struct compared_row *row)
{
	const struct compared *c = t->compared;
	const char *bold = row->is_beyond ? "**" : "";
	int err = buf_printf(t->out, "| %s ", amount_text(t->unit, row->base_self).text) ?:
		  buf_printf(t->out, "| %s ", amount_text(t->unit, row->new_self).text) ?:
		  buf_printf(t->out, "| %s%s%s ", bold, amount_text(t->unit, (__s64)row->self).text, bold);

	if (!err && c->has_chance)
		err = buf_printf(t->out, "| %s ",
				 amount_text(t->unit, (__s64)((row->self_high - row->self_low) / 2)).text);
	err = err ?: buf_printf(t->out, "| %+.2f | ", compared_points(c, row->self));
	err = err ?: row == &c->whole ? buf_add_string(t->out, "all of it |") :
					add_markdown_name(t, &row->key);
	if (!err && row != &c->whole && row->node)
		err = add_only_node(t, row->node);
	return err ?: buf_add_string(t->out, " |\n");
}

static int markdown_side(struct diff_table *t, const char *name, const struct compared_side *s, bool is_base)
{
	const size_t nodes = t->compared->recorded->nodes[is_base];
	int err = buf_printf(t->out, "%s %s", name, amount_text(t->unit, s->chosen.total).text);

	if (!err && s->chosen.has_counts)
		err = buf_printf(t->out, " (%s samples)", number_group(s->chosen.samples).text);
	if (!err && nodes)
		err = buf_printf(t->out, " of %s node%s", number_group(nodes).text, nodes > 1 ? "s" : "");
	return err ?: buf_printf(t->out, " in %.1f s", (double)s->duration_ns / 1e9);
}

/* What somebody reads who reads one line. */
static int add_verdict(struct diff_table *t)
{
	const struct compared *c = t->compared;
	int err;

	buf_clear(&t->cell);
	err = buf_add_shown(&t->cell, selection_event(&c->now.chosen), false) ?:
	      buf_add_string(t->out, "**") ?: add_code(t, NAME_WIDTH, false) ?:
	      buf_printf(t->out, "%s by %.1f %%%s**: ", c->whole.self < 0 ? " shrank" : " grew",
			 compared_points(c, c->whole.self < 0 ? -c->whole.self : c->whole.self),
			 !c->has_chance		? "" :
			 c->whole.is_beyond	? ", more than chance" :
						  ", no more than chance may do");
	return err ?: markdown_side(t, "base", &c->base, true) ?: buf_add_string(t->out, ", ") ?:
	       markdown_side(t, "new", &c->now, false) ?: buf_add_string(t->out, ".\n\n");
}

static int markdown_rows(struct diff_table *t)
{
	const struct compared *c = t->compared;
	const char *kind = by_rows[c->now.table.keys.by].name;
	int err = c->has_chance ?
		buf_printf(t->out, "| base | new | difference | by chance, ± | points | %s | |\n"
			   "|--:|--:|--:|--:|--:|---|---|\n", kind) :
		buf_printf(t->out, "| base | new | difference | points | %s | |\n"
			   "|--:|--:|--:|--:|---|---|\n", kind);

	err = err ?: markdown_row(t, &c->whole);
	for (size_t i = 0; i < c->shown && !err; i++)
		err = markdown_row(t, &c->rows[i]);
	return err;
}

static int add_remarks(struct diff_table *t)
{
	const struct compared *c = t->compared;
	int err = buf_printf(t->out, "\nPoints are hundredths of the base%s. ",
			     c->scale == 1 ? "" : ", after it was scaled");

	err = err ?: buf_add_string(t->out, c->has_chance ?
				    "Bold is more than chance: that does as much in one of a thousand rows." :
				    "Each event was counted: there is no chance of sampling in it.");
	if (!err && c->recorded->nodes[0] + c->recorded->nodes[1])
		err = buf_add_string(t->out, " What one node makes alone, or nodes differ in among "
					     "themselves, is not bold.");
	if (!err && c->shown < c->count)
		err = buf_printf(t->out, " %s more rows are not shown.",
				 number_group(c->count - c->shown).text);
	return err ?: buf_add_string(t->out, "\n");
}

struct pushed_items {
	struct diff_table *t;
	const char *side, *before; /* the first one begins a list */
	int err;
};

static void add_pushed_item(void *context, const char *code, const char *text)
{
	struct pushed_items *l = context;

	(void)code;
	buf_clear(&l->t->cell);
	l->err = l->err ?: buf_printf(l->t->out, "%s- %s: ", l->before, l->side) ?:
		 buf_add_string(&l->t->cell, text) ?: add_code(l->t, NOTE_WIDTH, false) ?:
		 buf_add_string(l->t->out, "\n");
	l->before = "";
}

/* What was lost of what a store has. Whoever pushed there may have written a part of such a line. */
static int markdown_books(struct diff_table *t)
{
	const struct pushed_books *pushed = t->compared->recorded->pushed;
	struct pushed_items items = { t, "base", "\n", 0 };

	pushed_notes(&pushed[true], add_pushed_item, &items);
	items.side = "new";
	pushed_notes(&pushed[false], add_pushed_item, &items);
	return items.err;
}

int compared_markdown(const struct compared *c, struct buf *out)
{
	const __s64 base = c->base.chosen.total, now = c->now.chosen.total;
	struct diff_table t = {
		.compared = c,
		.out = out,
		.unit = amount_unit(selection_unit(&c->now.chosen), base > now ? base : now),
	};
	int err = add_verdict(&t) ?: markdown_rows(&t) ?: add_remarks(&t) ?: markdown_books(&t);

	buf_free(&t.cell);
	return err;
}
