// SPDX-License-Identifier: GPL-2.0-only
/*
 * answered_text.c - an answer as lines for people: as the summary of a run (views/summary.c) has them, with
 * the amounts beside the shares.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/escapes.h"
#include "base/number.h"
#include "profile/short_path.h"
#include "report/amount.h"
#include "report/answered.h"
#include "views/table_cell.h"

#define WIDTH	    100
#define NAME_WIDTH  36
#define PLACE_WIDTH (WIDTH - 2 * 9 - 12 - NAME_WIDTH - 2)
#define HOT	    0.10 /* shares from here on are coloured */

struct report_page {
	const struct answered *answer;
	const struct report_table *table; /* at hand */
	struct buf *out;
	bool colour;
	int decimals;
	struct amount_unit unit;
	struct buf cell;
};

static const char *page_style(const struct report_page *p, const char *code)
{
	return p->colour ? code : "";
}

static const char *page_text_of(const struct report_page *p, __u32 string)
{
	return recorded_get_string(p->answer->recorded, string);
}

/* The cell, cut to `width` columns; padded to it, unless it ends the line. */
static int add_cell(struct report_page *p, size_t width, bool is_path, bool pad)
{
	const struct table_cell c = table_cell_cut(&p->cell, width, is_path);
	const int blanks = pad && c.columns < width ? (int)(width - c.columns) : 0;

	return buf_printf(p->out, "%s%.*s%s%*s", c.before, (int)c.size, c.text, c.behind, blanks, "");
}

static int add_share(struct report_page *p, __s64 value)
{
	const double share = answered_share(p->table, value);
	const bool hot = share >= HOT;

	return buf_printf(p->out, "%s%6.*f%%%s  ", hot ? page_style(p, RED) : "", p->decimals, 100 * share,
			  hot ? page_style(p, RESET) : "");
}

/* The cell, as far as it can be shown and there is room to the end of the line. It ends with NUL. */
static int add_shown_cell(struct report_page *p)
{
	_cleanup_buf_ struct buf shown = { 0 };
	int err = buf_add_shown(&shown, p->cell.data, false);
	struct table_cell c;

	if (err)
		return err;
	c = table_cell_cut(&shown, NAME_WIDTH + 2 + PLACE_WIDTH, false);
	return buf_printf(p->out, "%s%.*s%s", c.before, (int)c.size, c.text, c.behind);
}

static int add_row_name(struct report_page *p, const struct row_key *key, __u32 depth, bool has_place)
{
	int err;

	buf_clear(&p->cell);
	err = buf_printf(&p->cell, "%*s", depth > 20 ? 40 : (int)depth * 2, "");
	if (key->has_number)
		err = err ?: buf_printf(&p->cell, "%lld%s", key->number, key->name ? "  " : "");
	err = err ?: buf_add_shown(&p->cell, page_text_of(p, key->name), false);
	table_cell_drop_locals(&p->cell);
	return err ?: add_cell(p, has_place ? NAME_WIDTH : NAME_WIDTH + PLACE_WIDTH, key->name == key->file,
			       has_place);
}

static int add_row_place(struct report_page *p, const struct row_key *key)
{
	int err;

	buf_clear(&p->cell);
	err = buf_add_shown(&p->cell, short_path(page_text_of(p, key->file)), false);
	if (!err && key->line)
		err = buf_printf(&p->cell, ":%lld", key->line);
	return err ?: buf_add_string(p->out, "  ") ?: add_cell(p, PLACE_WIDTH, true, false);
}

/* A line of source in the place of its function's name. */
static int add_source(struct report_page *p, const struct row_key *key, const char *text)
{
	int err;

	buf_clear(&p->cell);
	err = buf_printf(&p->cell, "%5lld  ", key->line);
	for (size_t column = 0; *text && !err; text++) {
		const size_t length = buf_utf8_length(text) ?: 1;

		err = *text == '\t' ? buf_printf(&p->cell, "%*s", 8 - (int)(column % 8), "") :
				      buf_add(&p->cell, text, length);
		column += *text == '\t' ? 8 - column % 8 : 1;
		text += length - 1;
	}
	err = err ?: buf_add(&p->cell, "", 1);
	return err ?: add_shown_cell(p);
}

static int text_row(struct report_page *p, const struct report_table *t, const struct table_row *row)
{
	const struct row_key *key = row_keys_get(&t->keys, row->key);
	const bool has_place = key->file && key->file != key->name;
	const char *source = answered_source(p->answer, t, row);
	const __s64 amount = t->shape == TABLE_ROWS ? row->self : row->total;
	int err = add_share(p, row->self) ?: add_share(p, row->total);

	err = err ?: buf_printf(p->out, "%10s  ", amount_text(p->unit, amount).text);
	if (!err && source)
		return add_source(p, key, source) ?: buf_add_string(p->out, "\n");
	err = err ?: add_row_name(p, key, row->depth, has_place);
	if (!err && has_place)
		err = add_row_place(p, key);
	return err ?: buf_add_string(p->out, "\n");
}

static int add_left_out(struct report_page *p, const struct report_table *t)
{
	const __s64 left = table_left_out(t);
	int err = 0;

	if (t->shown == t->count)
		return 0;
	err = add_share(p, left);
	return err ?: buf_printf(p->out, "%9s%10s  in %s more rows (--top)\n", "",
				 amount_text(p->unit, left).text, number_group(t->count - t->shown).text);
}

static void set_table(struct report_page *p, const struct report_table *t)
{
	const struct report_selection *c = t->chosen;

	p->table = t;
	p->decimals = number_decimals(c->has_counts ? (__u64)c->samples : UINT64_MAX);
	p->unit = amount_unit(selection_unit(c), c->total);
}

static int add_table_title(struct report_page *p, const struct report_table *t)
{
	const enum answer_by by = t->keys.by;
	const bool has_place = by == BY_FUNCTION || by == BY_LINE || by == BY_FRAME || by == BY_IMPORT;
	const char *name = by == BY_LABEL ? p->answer->question->by + 6 :
			   by == BY_LINE ? "function" : by == BY_IMPORT ? "module" : by_rows[by].name;

	static const char *const titles[] = {
		[TABLE_CALLERS] = "Callers", [TABLE_CALLEES] = "Callees", [TABLE_LINES] = "Lines",
		[TABLE_TREE] = "Call tree", [TABLE_ROWS] = NULL,
	};
	const char *title = by == BY_IMPORT ? by_rows[by].title : titles[t->shape] ?: by_rows[by].title;
	/* Only where there are several. */
	const char *event = t->chosen == &p->answer->chosen ? NULL : selection_event(t->chosen);
	int err = buf_printf(p->out, "\n%s%s%s%s%s", page_style(p, BOLD), title, t->of ? " of " : "",
			     t->of ?: "", event ? " of " : "");

	if (!err && event)
		err = buf_add_shown(p->out, event, false);
	return err ?: buf_printf(p->out, "%s\n%s   self    total      amount  %-*s%s%s\n",
			  page_style(p, RESET),
			  page_style(p, DIM), has_place ? NAME_WIDTH + 2 : 0, name,
			  by == BY_LINE ? "line" : by == BY_IMPORT ? "file" : has_place ? "defined at" : "",
			  page_style(p, RESET));
}

/* Above the first line of each file whose text is shown. */
static int add_file_of_lines(struct report_page *p, const struct report_table *t, size_t i)
{
	const __u32 file = row_keys_get(&t->keys, t->rows[i].key)->file;
	int err;

	if (!answered_source(p->answer, t, &t->rows[i]) ||
	    (i && row_keys_get(&t->keys, t->rows[i - 1].key)->file == file))
		return 0;
	err = buf_printf(p->out, "%s%30s", page_style(p, DIM), "") ?:
	      buf_add_shown(p->out, short_path(page_text_of(p, file)), false);
	return err ?: buf_printf(p->out, "%s\n", page_style(p, RESET));
}

static int text_table(struct report_page *p, const struct report_table *t)
{
	int err;

	set_table(p, t);
	err = add_table_title(p, t);
	for (size_t i = 0; i < t->shown && !err; i++)
		err = add_file_of_lines(p, t, i) ?: text_row(p, t, &t->rows[i]);
	return err ?: add_left_out(p, t);
}

static int add_recorded_when(struct report_page *p)
{
	const struct recorded *r = p->answer->recorded;
	char text[CLOCK_DATE];
	int err = 0;

	if (r->duration_ns)
		err = buf_printf(p->out, " in %.1f s", (double)r->duration_ns / 1e9);
	if (!err && r->start_ns && clock_date(r->start_ns, ' ', text))
		err = buf_printf(p->out, ", from %s UTC", text);
	if (!err && r->files > 1)
		err = buf_printf(p->out, ", %zu files", r->files);
	return err ?: buf_add_string(p->out, "\n");
}

static int add_total(struct report_page *p)
{
	const struct report_selection *c = &p->answer->chosen;
	int err = buf_add_string(p->out, page_style(p, BOLD));

	if (!err && c->has_counts)
		err = buf_printf(p->out, "%s sample%s", number_group(c->samples).text,
				 c->samples == 1 ? "" : "s");
	if (!err && !(c->has_counts && c->type == c->count_type))
		err = buf_printf(p->out, "%s%s of ", c->has_counts ? ", " : "",
				 amount_text(p->unit, c->total).text) ?:
		      buf_add_shown(p->out, selection_event(c), false);
	return err ?: buf_add_string(p->out, page_style(p, RESET)) ?: add_recorded_when(p);
}

/* "1.20% [truncated]" each, on one line. */
static int add_markers(struct report_page *p)
{
	const struct report_table *t = &p->answer->markers;
	int err = t->shown ? buf_printf(p->out, "\n%sNot whole: ", page_style(p, DIM)) : 0;

	for (size_t i = 0; i < t->shown && !err; i++) {
		__u32 name;

		err = buf_printf(p->out, "%s%.*f%% ", i ? ", " : "", p->decimals,
				 100 * answered_share(t, t->rows[i].total));
		name = row_keys_get(&t->keys, t->rows[i].key)->name;
		err = err ?: buf_add_shown(p->out, page_text_of(p, name), false);
	}
	return err ?: t->shown ? buf_printf(p->out, "%s\n", page_style(p, RESET)) : 0;
}

static int add_comments(struct report_page *p)
{
	const struct recorded *r = p->answer->recorded;
	int err = r->comment_count ? buf_printf(p->out, "\n%sComments of the profile%s\n",
						page_style(p, BOLD), page_style(p, RESET)) : 0;

	for (size_t i = 0; i < r->comment_count && !err; i++)
		err = buf_add_string(p->out, "  ") ?:
		      buf_add_shown(p->out, page_text_of(p, r->comments[i]), false) ?:
		      buf_add_string(p->out, "\n");
	return err;
}

static int text_notes(struct report_page *p)
{
	int err = p->answer->note_count ? buf_add_string(p->out, "\n") : 0;

	for (size_t i = 0; i < p->answer->note_count && !err; i++)
		err = buf_printf(p->out, "%snote: ", page_style(p, DIM)) ?:
		      buf_add_shown(p->out, p->answer->notes[i].text, false) ?:
		      buf_printf(p->out, "%s\n", page_style(p, RESET));
	return err;
}

static int text_findings(struct report_page *p)
{
	const struct findings *f = p->answer->findings;

	if (!f)
		return 0;
	if (!f->count)
		return buf_add_string(p->out, "\nNothing stands out.\n");
	return buf_add_string(p->out, "\n") ?: findings_text(f, p->colour, WIDTH, p->out);
}

int answered_text(const struct answered *a, bool colour, struct buf *out)
{
	struct report_page p = {
		.answer = a,
		.out = out,
		.colour = colour,
	};
	int err;

	set_table(&p, &a->markers);
	err = a->traced.trace ? traced_text(&a->traced, colour, out) : add_total(&p) ?: text_findings(&p);
	for (size_t i = 0; i < a->table_count && !err; i++)
		err = text_table(&p, &a->tables[i]);
	set_table(&p, &a->markers);
	err = err ?: add_markers(&p) ?: add_comments(&p) ?: text_notes(&p);
	buf_free(&p.cell);
	return err;
}
