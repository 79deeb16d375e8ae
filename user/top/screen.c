// SPDX-License-Identifier: GPL-2.0-only
#include "top/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/escapes.h"
#include "base/number.h"
#include "profile/short_path.h"
#include "views/table_cell.h"

#define HEAD_LINES   3 /* above the table, and its titles */
#define FOOT_LINES   3
#define NUMBER_WIDTH 8 /* columns of a number, with the blanks before it */
#define LEAST_WIDTH  12 /* of both texts, so that a terminal of 40 columns is wide enough */
#define HOT	     0.10

static const struct {
	char key;
	const char *word, *first, *second;
} views[TOP_VIEWS] = {
#define VIEW(name, key, word, first, second) [TOP_##name] = { key, word, first, second },
	TOP_VIEWS_OF(VIEW)
#undef VIEW
};

static const char *style(const struct screen *s, const char *code)
{
	return s->colour ? code : "";
}

/* A line that is cut to the terminal's width. */
static int add_line(const struct screen *s, const char *code, const char *text, struct buf *out)
{
	size_t size = table_cell_head(text, strlen(text), s->columns);
	int err = buf_add_string(out, style(s, code));

	err = err ?: buf_add(out, text, size);
	err = err ?: buf_add_string(out, style(s, *code ? RESET : ""));
	return err ?: buf_add_string(out, "\n");
}

static int add_head(const struct screen *s, const struct top_rows *rows, struct buf *out)
{
	static const char *const orders[TOP_ORDERS] = { "self", "total", "self s", "change" };
	char text[512], lost[64] = "", samples[64] = "";
	size_t used = 0;
	int err;

	if (rows->all > 0 && rows->lost > 0)
		used = snprintf(lost, sizeof(lost), "; %.1f %% not seen", 100 * rows->lost / rows->all);
	if (rows->all > 0 && rows->of_c > 0)
		snprintf(lost + used, sizeof(lost) - used, "; %.0f %% C threads",
			 100 * rows->of_c / rows->all);
	if (rows->samples)
		snprintf(samples, sizeof(samples), "of %s sample%s, ", number_group(rows->samples).text,
			 rows->samples == 1 ? "" : "s");
	snprintf(text, sizeof(text), "pyperf-bpf top%s: %.2f %ss by %zu process%s in %.0f s%s",
		 s->paused ? " [paused]" : "", rows->all, s->resource, s->processes,
		 s->processes == 1 ? "" : "es", s->seconds, lost);
	err = add_line(s, BOLD, text, out);
	if (s->typing)
		snprintf(text, sizeof(text), "filter: %s_   (Enter takes it, Esc leaves it out)", s->filter);
	else if (s->of)
		snprintf(text, sizeof(text), "lines of %s (Esc goes back)", s->of->name);
	else if (s->compare && !s->past_seconds)
		snprintf(text, sizeof(text), "nothing to compare with yet: wait a little");
	else if (s->compare)
		snprintf(text, sizeof(text), "change: against %.0f s ago%s%s", s->past_seconds,
			 *s->filter ? "; filter: " : "", s->filter);
	else if (*s->filter)
		snprintf(text, sizeof(text), "100 %% is one %s; ordered by %s; filter: %s", s->resource,
			 orders[s->order], s->filter);
	else
		snprintf(text, sizeof(text), "%s100 %% is one %s; self %s: of the last %.0f s; ordered by %s",
			 samples, s->resource, s->unit, s->whole_seconds, orders[s->order]);
	return err ?: add_line(s, "", text, out);
}

/* How wide the two texts of a row are. */
static void share_width(const struct screen *s, size_t *ret_name, size_t *ret_where)
{
	const int numbers = NUMBER_WIDTH * 3;
	const int rest = s->columns > numbers + LEAST_WIDTH ? s->columns - numbers - 4 : LEAST_WIDTH;

	*ret_name = (size_t)rest * 2 / 5;
	*ret_where = (size_t)rest - *ret_name;
}

static int add_titles(const struct screen *s, struct buf *out)
{
	size_t name, where;
	char text[512], third[16];

	share_width(s, &name, &where);
	snprintf(third, sizeof(third), "self %s", s->unit);
	snprintf(text, sizeof(text), "%*s%*s%*s  %-*.*s  %s", NUMBER_WIDTH, "self %", NUMBER_WIDTH,
		 "total %", NUMBER_WIDTH, s->compare ? "change" : third, (int)name, (int)name,
		 views[s->view].first, views[s->view].second);
	return add_line(s, REVERSE, text, out);
}

static int add_cell(const char *text, size_t width, bool is_path, bool pad, struct buf *out)
{
	_cleanup_buf_ struct buf b = { 0 };
	int err = buf_add_string(&b, text);
	struct table_cell c;

	if (err)
		return err;
	c = table_cell_cut(&b, width, is_path);
	return buf_printf(out, "%s%.*s%s%*s", c.before, (int)c.size, c.text, c.behind,
			  pad && c.columns < width ? (int)(width - c.columns) : 0, "");
}

/* Rows keep the whole path, by which they are told apart and filtered. */
static bool has_files(enum top_view view)
{
	return view == TOP_FUNCTIONS || view == TOP_LINES || view == TOP_NATIVE;
}

static int add_row(const struct screen *s, const struct top_rows *rows, const struct top_row *r,
		   struct buf *out)
{
	const bool chosen = r - rows->rows == s->cursor;
	const bool hot = !chosen && rows->all > 0 && r->self / rows->all >= HOT;
	size_t name, where;
	int err;

	share_width(s, &name, &where);
	err = buf_printf(out, "%s%*.1f%s%*.1f", style(s, chosen ? REVERSE : hot ? RED : ""), NUMBER_WIDTH,
			 100 * r->self, style(s, hot ? RESET : ""), NUMBER_WIDTH, 100 * r->total);
	if (!err && s->compare)
		err = buf_printf(out, "%+*.1f", NUMBER_WIDTH, 100 * (r->self - r->before));
	else if (!err)
		err = buf_printf(out, "%*.*f", NUMBER_WIDTH, r->since < 1000 ? 2 : 0, r->since);
	err = err ?: buf_add_string(out, "  ");
	err = err ?: add_cell(r->name, name, false, true, out);
	err = err ?: buf_add_string(out, "  ");
	err = err ?: add_cell(has_files(s->view) ? short_path(r->where) : r->where, where, true, false, out);
	return err ?: buf_add_string(out, chosen ? style(s, RESET) : "") ?: buf_add_string(out, "\n");
}

/* The keys of views from one to before another. */
static int add_views(const struct screen *s, size_t from, size_t to, struct buf *out)
{
	char text[256] = "";
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%c %s", i > from ? "  " : "", views[i].key,
			      views[i].word);
	return add_line(s, DIM, text, out);
}

static int add_keys(const struct screen *s, struct buf *out)
{
	return add_views(s, 0, TOP_PROCESSES, out) ?: add_views(s, TOP_PROCESSES, TOP_VIEWS, out) ?:
	       add_line(s, DIM,
			"j k Enter lines  s order  c change  / filter  e event  space pause  q quit",
			out);
}

int screen_room(const struct screen *s)
{
	const int room = s->lines - HEAD_LINES - FOOT_LINES;

	return room < 0 ? 0 : room;
}

int screen_draw(const struct screen *s, const struct top_rows *rows, struct buf *out)
{
	const int room = screen_room(s);
	const int shown = rows->count < (size_t)room ? (int)rows->count : room;
	int err = add_head(s, rows, out);

	err = err ?: add_titles(s, out);
	for (int i = 0; i < shown && !err; i++)
		err = add_row(s, rows, &rows->rows[i], out);
	if (!err && !rows->count && room > 0)
		err = add_line(s, DIM, "  nothing was seen here", out);
	for (int i = shown + !rows->count; i < room && !err; i++)
		err = buf_add_string(out, "\n");
	return err ?: add_keys(s, out);
}
