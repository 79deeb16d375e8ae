// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_svg.c - widths are of the second profile. What is gone from it has none, so a list below the graph
 * says it. Colour alone tells nobody anything: each frame's title, which is what screen readers read, has the
 * numbers, and labels of what changed begin with a sign.
 */
#include "report/compared_svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/short_path.h"
#include "report/amount.h"
#include "report/compared_nodes.h"
#include "views/svg_text.h"

#define WIDTH	     1200.0
#define MARGIN	     10.0
#define ROW	     18.0
#define TOP	     64.0
#define LEAST	     0.3 /* of a pixel: what is narrower is left out, and counted */
#define LETTER	     6.7 /* width of one, nearly */
#define VANISHED_MAX 12
#define TITLE_MAX    200 /* columns of a name or a file in a title */

struct compared_drawing {
	const struct compared *compared;
	struct compared_nodes nodes;
	struct buf *out;
	struct buf text;
	double *x, *used; /* by id: where it begins; what its callees have taken so far, in values */
	double largest;	  /* of the differences that are beyond chance */
	__u32 depth;	  /* rows that are drawn */
	size_t narrow;
	__u32 vanished[VANISHED_MAX]; /* the largest first */
	size_t vanished_count;
};

static struct compared_row row_of(const struct compared_drawing *d, __u32 id)
{
	struct compared_row row = {
		.base_self = d->nodes.base[id - 1],
		.new_self = d->nodes.now[id - 1],
	};

	compared_find(d->compared, &row);
	return row;
}

static int draw_text(struct compared_drawing *d, const char *text, size_t columns, bool is_path)
{
	return svg_text(d->out, &d->text, text, columns, is_path);
}

static double points(const struct compared_drawing *d, double value)
{
	const double whole = d->compared->scale * (double)d->compared->base.chosen.total;

	return whole > 0 ? 100 * value / whole : 0;
}

static struct amount amount(const struct compared_drawing *d, __s64 value)
{
	return amount_text(amount_unit(selection_unit(&d->compared->now.chosen), value), value);
}

/* "f (app.py:12): 1.2 s, was 1.0 s, +3.41 points, more than chance". */
static int draw_title(struct compared_drawing *d, __u32 id, const struct compared_row *row)
{
	const struct recorded *r = d->compared->recorded;
	const __u32 function = compared_nodes_get(&d->nodes, id)->function;
	const struct recorded_function *f = recorded_get_function(r, function);
	int err = draw_text(d, compared_nodes_name(&d->nodes, id), TITLE_MAX, false);

	if (!err && f->file)
		err = buf_add_string(d->out, " (") ?:
		      draw_text(d, short_path(recorded_get_string(r, f->file)), TITLE_MAX, true) ?:
		      buf_printf(d->out, ":%lld)", f->start_line);
	err = err ?: buf_printf(d->out, ": %s, ", amount(d, row->new_self).text);
	err = err ?: buf_printf(d->out, "was %s, %+.2f points", amount(d, row->base_self).text,
				points(d, row->self));
	if (!err && d->compared->has_chance)
		err = buf_add_string(d->out, row->is_beyond ? ", more than chance" : ", may be chance");
	return err;
}

/* Red for more, blue for less, the stronger the more; grey for what chance may have done. */
static int add_colour(struct compared_drawing *d, const struct compared_row *row)
{
	const double part = d->largest > 0 ? fabs(row->self) / d->largest : 0;
	const int pale = 205 - (int)(125 * (part > 1 ? 1 : part));

	if (!row->is_beyond)
		return buf_add_string(d->out, "#d6d6d6");
	return row->self > 0 ? buf_printf(d->out, "rgb(255,%d,%d)", pale, pale) :
			       buf_printf(d->out, "rgb(%d,%d,255)", pale, pale);
}

static int add_frame(struct compared_drawing *d, __u32 id, __u32 depth, double width)
{
	const struct compared_row row = row_of(d, id);
	const double y = TOP + ROW * depth;
	const int letters = (int)((width - 6) / LETTER);
	int err = buf_add_string(d->out, "<g><title>") ?: draw_title(d, id, &row);

	err = err ?: buf_printf(d->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"",
				d->x[id], y, width, ROW - 1);
	err = err ?: buf_add_string(d->out, " fill=\"") ?: add_colour(d, &row) ?:
	      buf_add_string(d->out, "\"/>");
	if (!err && letters >= 6)
		err = buf_printf(d->out, "<text x=\"%.2f\" y=\"%.0f\">%s", d->x[id] + 3, y + 13,
				 !row.is_beyond ? "" : row.self > 0 ? "+ " : "- ") ?:
		      draw_text(d, compared_nodes_name(&d->nodes, id), letters - 2, false) ?:
		      buf_add_string(d->out, "</text>");
	return err ?: buf_add_string(d->out, "</g>\n");
}

/* What was in the first one, and is not in the second, with a caller that is. */
static void find_vanished(struct compared_drawing *d)
{
	for (__u32 id = 1; id <= d->nodes.keys.count; id++) {
		const __u32 parent = compared_nodes_get(&d->nodes, id)->parent;
		size_t at = d->vanished_count;

		if (d->nodes.now[id - 1] || (parent && !d->nodes.now[parent - 1]) || !row_of(d, id).is_beyond)
			continue;
		while (at && d->nodes.base[d->vanished[at - 1] - 1] < d->nodes.base[id - 1])
			at--;
		if (at == VANISHED_MAX)
			continue;
		if (d->vanished_count < VANISHED_MAX)
			d->vanished_count++;
		memmove(&d->vanished[at + 1], &d->vanished[at],
			(d->vanished_count - at - 1) * sizeof(*d->vanished));
		d->vanished[at] = id;
	}
}

/* Where each node is, and what is drawn. A caller comes before what it calls. */
static double width_of(const struct compared_drawing *d, __u32 id)
{
	const double total = (double)d->compared->now.chosen.kept;

	return total > 0 ? (WIDTH - 2 * MARGIN) * (double)d->nodes.now[id - 1] / total : 0;
}

/* Down, then to the side, then up. draw: false to find the depth and the largest difference only. */
static int walk(struct compared_drawing *d, bool draw)
{
	__u32 at = d->nodes.first[0], depth = 0;
	int err = 0;

	memset(d->used, 0, ((size_t)d->nodes.keys.count + 1) * sizeof(*d->used));
	d->x[0] = MARGIN;
	d->narrow = 0;
	while (at && !err) {
		const __u32 parent = compared_nodes_get(&d->nodes, at)->parent;
		const double width = width_of(d, at);
		const struct compared_row row = row_of(d, at);

		d->x[at] = d->x[parent] + d->used[parent];
		d->used[parent] += width;
		if (row.is_beyond && fabs(row.self) > d->largest)
			d->largest = fabs(row.self);
		if (width >= LEAST) {
			d->depth = depth >= d->depth ? depth + 1 : d->depth;
			err = draw ? add_frame(d, at, depth, width) : 0;
		} else if (width > 0) {
			d->narrow++;
		}
		if (d->nodes.first[at] && width >= LEAST) {
			at = d->nodes.first[at];
			depth++;
			continue;
		}
		while (at && !d->nodes.next[at]) {
			at = compared_nodes_get(&d->nodes, at)->parent;
			depth -= !!at;
		}
		if (at)
			at = d->nodes.next[at];
	}
	return err;
}

static int add_line(struct compared_drawing *d, double y, const char *text)
{
	return buf_printf(d->out, "<text x=\"%.0f\" y=\"%.0f\">", MARGIN, y) ?:
	       draw_text(d, text, TITLE_MAX, false) ?: buf_add_string(d->out, "</text>\n");
}

static int add_head(struct compared_drawing *d, double height)
{
	const struct compared *c = d->compared;
	char total[640];
	int err = buf_printf(d->out,
			     "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" "
			     "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
			     "font-family=\"monospace\" font-size=\"11\">\n",
			     WIDTH, height, WIDTH, height);

	snprintf(total, sizeof(total), "%s of %.40s, was %s: %+.2f points of the first profile%s",
		 amount(d, c->now.chosen.kept).text, selection_event(&c->now.chosen),
		 amount(d, c->base.chosen.kept).text, points(d, c->whole.self),
		 c->scale == 1 ? "" : ", after it was scaled");
	err = err ?: buf_add_string(d->out, "<title id=\"t\">Two profiles: what is more and less in the "
				    "second one</title>\n<desc id=\"d\">");
	err = err ?: draw_text(d, total, TITLE_MAX, false) ?: buf_add_string(d->out, "</desc>\n");
	err = err ?: buf_add_string(d->out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	err = err ?: add_line(d, 20, total);
	return err ?: add_line(d, 38, c->has_chance ?
		"+ red: more; - blue: less; grey: by chance, perhaps. Widths are of the second profile." :
		"+ red: more; - blue: less; grey: the same. Widths are of the second profile.");
}

static int add_foot(struct compared_drawing *d, double y)
{
	char text[96];
	int err = 0;

	if (d->narrow) {
		snprintf(text, sizeof(text), "%zu more functions are too narrow to be drawn.", d->narrow);
		err = add_line(d, y, text);
		y += ROW;
	}
	if (!err && d->vanished_count)
		err = add_line(d, y, "Not in the second profile any more:");
	for (size_t i = 0; i < d->vanished_count && !err; i++) {
		const __u32 id = d->vanished[i];
		const struct compared_row row = row_of(d, id);

		y += ROW;
		err = buf_printf(d->out, "<text x=\"%.0f\" y=\"%.0f\">- ", 2 * MARGIN, y) ?:
		      draw_title(d, id, &row) ?: buf_add_string(d->out, "</text>\n");
	}
	return err;
}

static int draw(struct compared_drawing *d)
{
	double y;
	int err = walk(d, false);

	find_vanished(d);
	y = TOP + ROW * d->depth + ROW;
	err = err ?: add_head(d, y + ROW * (double)(d->vanished_count + 2)) ?: walk(d, true) ?:
	      add_foot(d, y);
	return err ?: buf_add_string(d->out, "</svg>\n");
}

int compared_svg(const struct compared *c, struct buf *out)
{
	struct compared_drawing d = { .compared = c, .out = out };
	int err = compared_nodes_make(c, &d.nodes);

	d.x = calloc((size_t)d.nodes.keys.count + 1, sizeof(*d.x));
	d.used = calloc((size_t)d.nodes.keys.count + 1, sizeof(*d.used));
	if (!err && (!d.x || !d.used))
		err = -ENOMEM;
	err = err ?: draw(&d);
	compared_nodes_free(&d.nodes);
	buf_free(&d.text);
	free(d.x);
	free(d.used);
	return err;
}
