// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_text.c - two profiles beside each other, as lines for people.
 */
#include <stdio.h>

#include "base/escapes.h"
#include "base/number.h"
#include "profile/short_path.h"
#include "report/amount.h"
#include "report/compared.h"
#include "report/pushed_notes.h"
#include "views/table_cell.h"

#define NAME_WIDTH  30
#define PLACE_WIDTH 28

struct diff_page {
	const struct compared *compared;
	struct buf *out;
	bool colour;
	struct amount_unit unit;
	struct buf cell;
};

static const char *diff_style(const struct diff_page *p, const char *code)
{
	return p->colour ? code : "";
}

static int text_side(struct diff_page *p, const char *name, const struct compared_side *s, bool is_base)
{
	const size_t nodes = p->compared->recorded->nodes[is_base];
	int err = buf_printf(p->out, "%s  %s of ", name, amount_text(p->unit, s->chosen.total).text) ?:
		  buf_add_shown(p->out, selection_event(&s->chosen), false);

	if (!err && s->chosen.has_counts)
		err = buf_printf(p->out, ", %s samples", number_group(s->chosen.samples).text);
	if (!err && nodes)
		err = buf_printf(p->out, ", of %s node%s", number_group(nodes).text, nodes > 1 ? "s" : "");
	return err ?: buf_printf(p->out, " in %.1f s\n", (double)s->duration_ns / 1e9);
}

static int add_diff_cell(struct diff_page *p, size_t width, bool is_path, bool pad)
{
	const struct table_cell c = table_cell_cut(&p->cell, width, is_path);
	const int blanks = pad && c.columns < width ? (int)(width - c.columns) : 0;

	return buf_printf(p->out, "%s%.*s%s%*s", c.before, (int)c.size, c.text, c.behind, blanks, "");
}

static int add_diff_name(struct diff_page *p, const struct row_key *key)
{
	const struct recorded *r = p->compared->recorded;
	int err;

	buf_clear(&p->cell);
	if (key->has_number)
		buf_printf(&p->cell, "%lld%s", key->number, key->name ? "  " : "");
	err = buf_add_shown(&p->cell, recorded_get_string(r, key->name), false);
	table_cell_drop_locals(&p->cell);
	err = err ?: add_diff_cell(p, NAME_WIDTH, key->name == key->file,
				   key->file && key->name != key->file);
	if (err || !key->file || key->name == key->file)
		return err;
	buf_clear(&p->cell);
	err = buf_add_shown(&p->cell, short_path(recorded_get_string(r, key->file)), false);
	if (!err && key->line)
		err = buf_printf(&p->cell, ":%lld", key->line);
	return err ?: buf_add_string(p->out, "  ") ?: add_diff_cell(p, PLACE_WIDTH, true, false);
}

static int text_diff_row(struct diff_page *p, const struct compared_row *row)
{
	const struct compared *c = p->compared;
	const double half = (row->self_high - row->self_low) / 2;
	const char *colour = !row->is_beyond ? "" : row->self > 0 ? RED : GREEN;
	int err = buf_printf(p->out, "%10s ", amount_text(p->unit, row->base_self).text) ?:
		  buf_printf(p->out, "%10s ", amount_text(p->unit, row->new_self).text) ?:
		  buf_printf(p->out, "%s%c%10s ", diff_style(p, colour), row->is_beyond ? '*' : ' ',
			     amount_text(p->unit, (__s64)row->self).text);

	if (!err && c->has_chance)
		err = buf_printf(p->out, "+-%9s", amount_text(p->unit, (__s64)half).text);
	err = err ?: buf_printf(p->out, " %+7.2f%s  ", compared_points(c, row->self),
				diff_style(p, *colour ? RESET : ""));
	if (err)
		return err;
	if (row == &c->whole)
		return buf_add_string(p->out, "(all)");
	err = add_diff_name(p, &row->key);
	return err || !row->node ? err :
	       buf_add_string(p->out, "  only on ") ?:
	       buf_add_shown(p->out, recorded_get_string(c->recorded, row->node), false);
}

static int text_diff_rows(struct diff_page *p)
{
	const struct compared *c = p->compared;
	const char *chance = c->has_chance ? "  by chance" : "";
	int err = buf_printf(p->out, "\n%s      base        new   difference %s  points  %s%s\n",
			     diff_style(p, BOLD), chance, by_rows[c->now.table.keys.by].name,
			     diff_style(p, RESET));

	err = err ?: text_diff_row(p, &c->whole) ?: buf_add_string(p->out, "\n");
	for (size_t i = 0; i < c->shown && !err; i++)
		err = text_diff_row(p, &c->rows[i]) ?: buf_add_string(p->out, "\n");
	if (!err && c->shown < c->count)
		err = buf_printf(p->out, "%38s %s more rows (--top)\n", "",
				 number_group(c->count - c->shown).text);
	return err;
}

struct pushed_lines {
	const char *side;
	struct buf *out;
	int err;
};

static void add_pushed_line(void *context, const char *code, const char *text)
{
	struct pushed_lines *l = context;

	(void)code;
	l->err = l->err ?: buf_printf(l->out, "%s: %s\n", l->side, text);
}

/* What was lost of what a store has. */
static int text_books(const struct compared *c, struct buf *out)
{
	struct pushed_lines base = { "base", out, 0 }, now = { "new", out, 0 };

	pushed_notes(&c->recorded->pushed[true], add_pushed_line, &base);
	pushed_notes(&c->recorded->pushed[false], add_pushed_line, &now);
	return base.err ?: now.err;
}

int compared_text(const struct compared *c, bool colour, struct buf *out)
{
	const __s64 base = c->base.chosen.total, now = c->now.chosen.total;
	struct diff_page p = {
		.compared = c,
		.out = out,
		.colour = colour,
		.unit = amount_unit(selection_unit(&c->now.chosen), base > now ? base : now),
	};
	int err = text_side(&p, "base", &c->base, true) ?: text_side(&p, "new ", &c->now, false) ?:
		  text_diff_rows(&p);

	err = err ?: buf_printf(out, "\nPoints are hundredths of the base%s. ",
				c->scale == 1 ? "" : ", after it was scaled");
	err = err ?: c->has_chance ?
		buf_add_string(out, "* is more than chance: that does as much in one of a\nthousand rows; "
			       "+- is what chance does 95 times of 100.\n") :
		buf_add_string(out, "Each event was counted: there is no chance of sampling\nin it.\n");
	if (!err && c->recorded->nodes[0] + c->recorded->nodes[1])
		err = buf_add_string(out, "What one node makes alone, or nodes differ in among themselves, "
					  "has no *.\n");
	buf_free(&p.cell);
	return err ?: text_books(c, out);
}
