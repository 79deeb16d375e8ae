// SPDX-License-Identifier: GPL-2.0-only
#include "formats/svg.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "profile/filter.h"
#include "profile/frames.h"
#include "profile/owner_text.h"
#include "profile/short_path.h"
#include "profile/profile.h"
#include "views/graph_nodes.h"
#include "views/svg_text.h"

#define WIDTH	  1200.0
#define MARGIN	  10.0
#define ROW	  18.0
#define HEAD	  30.0 /* of each graph, for its title */
#define LEAST	  0.1 /* of a pixel: what is narrower is left out, and counted */
#define LETTER	  6.7 /* width of one, nearly */
#define LETTERS	  4   /* that a label has at least */
#define TITLE_MAX 200 /* columns of a name or a file in a title */
#define NODES_MAX 100000
#define SHADES	  5

#define OWNER_COLOUR "#d6d6d6"

/* One kind of event. */
struct drawing {
	struct graph_nodes nodes;
	double *x, *used; /* by node: where it begins, and what its callees have taken so far */
	double top;
	__u32 rows;
	size_t narrow;
	struct buf *out, text, name;
};

static void drawing_free(struct drawing *d)
{
	graph_nodes_free(&d->nodes);
	buf_free(&d->text);
	buf_free(&d->name);
	free(d->x);
	free(d->used);
}

/* --- one frame ----------------------------------------------------------------------------------------- */

/* "python3 (pid 12), MainThread (tid 13)", into d->name. */
static int name_owner(struct drawing *d, __u32 owner)
{
	const struct profile *p = d->nodes.profile;
	int err = owner_text_process(p, owner, &d->name);

	if (!err && owner_text_has_thread(p, owner))
		err = buf_add_string(&d->name, ", ") ?: owner_text_thread(p, owner, &d->name);
	return err;
}

/* Into d->name, as a text that ends with a NUL. */
static int name_node(struct drawing *d, const struct graph_node *n)
{
	const struct profile *p = d->nodes.profile;
	int err;

	buf_clear(&d->name);
	if (!n->depth)
		err = name_owner(d, n->of);
	else if (!n->of)
		err = buf_add_string(&d->name, "[left out]");
	else
		err = buf_add_string(&d->name, profile_get_string(p, profile_get_function(p, n->of)->name));
	return err ?: buf_add(&d->name, "", 1);
}

/* "43 samples" or "1.25 s". */
static int add_amount(struct drawing *d, __u64 value)
{
	const struct profile *p = d->nodes.profile;
	const enum event_unit unit = profile_shown_unit(p);

	if (unit == UNIT_COUNT)
		return buf_printf(d->out, "%llu %s", value, value == 1 ? "sample" : "samples");
	return buf_printf(d->out, "%.4g %s", profile_shown_amount(p, value),
			  event_amount_unit(profile_shown(p)));
}

static double share(const struct drawing *d, __u64 value)
{
	const __u64 total = profile_total(d->nodes.profile);

	return total ? (double)value / (double)total : 0;
}

static double width_of_frame(const struct drawing *d, const struct graph_node *n)
{
	return (WIDTH - 2 * MARGIN) * share(d, n->total);
}

static int add_frame_title(struct drawing *d, const struct graph_node *n)
{
	const struct profile *p = d->nodes.profile;
	const struct profile_function *f = n->depth && n->of ? profile_get_function(p, n->of) : NULL;
	int err = svg_text(d->out, &d->text, d->name.data, TITLE_MAX, false);

	if (!err && f && f->file)
		err = buf_add_string(d->out, " (") ?:
		      svg_text(d->out, &d->text, short_path(profile_get_string(p, f->file)), TITLE_MAX,
			       true) ?:
		      (f->start_line ? buf_printf(d->out, ":%u", f->start_line) : 0) ?:
		      buf_add_string(d->out, ")");
	return err ?: buf_add_string(d->out, ": ") ?: add_amount(d, n->total) ?:
	       buf_printf(d->out, ", %.2f %%", 100 * share(d, n->total));
}

/* The same in each run: the hashes of base/hash.h have a key of their run. */
static unsigned int shade(const char *file)
{
	unsigned int sum = 0;

	while (*file)
		sum = sum * 31 + (unsigned char)*file++;
	return sum % SHADES;
}

/* Each kind of frame has its colour, as on the page; each file of Python has a shade of it. */
static int add_colour(struct drawing *d, const struct graph_node *n)
{
	const struct profile_function *f;
	const char *file;

	if (!n->depth || !n->of)
		return buf_add_string(d->out, OWNER_COLOUR);
	f = profile_get_function(d->nodes.profile, n->of);
	file = profile_get_string(d->nodes.profile, f->file);
	return buf_printf(d->out, "%s\" fill-opacity=\"0.%u", frame_rows[f->kind].colour, 5 + shade(file));
}

static int draw_frame(struct drawing *d, const struct graph_node *n, double x, double width)
{
	const double y = d->top + ROW * n->depth;
	const int letters = (int)((width - 6) / LETTER);
	int err = name_node(d, n) ?: buf_add_string(d->out, "<g><title>") ?: add_frame_title(d, n);

	err = err ?: buf_printf(d->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"",
				x, y, width, ROW - 1);
	err = err ?: buf_add_string(d->out, " fill=\"") ?: add_colour(d, n) ?: buf_add_string(d->out, "\"/>");
	if (!err && letters >= LETTERS)
		err = buf_printf(d->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, y + 13) ?:
		      svg_text(d->out, &d->text, d->name.data, letters, false) ?:
		      buf_add_string(d->out, "</text>");
	return err ?: buf_add_string(d->out, "</g>\n");
}

/* --- one graph ----------------------------------------------------------------------------------------- */

/* Where each node begins, and how many rows are drawn. A caller comes before what it calls. */
static int place(struct drawing *d)
{
	const size_t count = graph_node_count(&d->nodes);
	double owners = MARGIN;

	d->x = calloc(count + 1, sizeof(*d->x));
	d->used = calloc(count + 1, sizeof(*d->used));
	if (!d->x || !d->used)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct graph_node *n = graph_node_at(&d->nodes, i);
		const double width = width_of_frame(d, n);

		d->x[i] = n->depth ? d->x[n->parent] + d->used[n->parent] : owners;
		if (n->depth)
			d->used[n->parent] += width;
		else
			owners += width;
		if (width < LEAST)
			d->narrow++;
		else if (n->depth >= d->rows)
			d->rows = n->depth + 1;
	}
	return 0;
}

static int add_heading(struct drawing *d)
{
	const struct profile *p = d->nodes.profile;
	const struct event_row *row = &event_rows[profile_shown(p)];
	int err = buf_printf(d->out, "<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">%s: ", MARGIN,
			     d->top - 10, row->resource) ?: add_amount(d, profile_total(p));

	if (!err && d->narrow)
		err = buf_printf(d->out, " (%zu frames are too narrow to be drawn)", d->narrow);
	return err ?: buf_add_string(d->out, "</text>\n");
}

/* Adds how high it is to height. */
static int add_graph(const struct profile *p, double *height, struct buf *out)
{
	_cleanup_(drawing_free) struct drawing d = { .nodes = { .profile = p }, .top = *height + HEAD,
						     .out = out };
	int err = graph_nodes_make(&d.nodes, NODES_MAX) ?: place(&d) ?: add_heading(&d);

	for (size_t i = 0; i < graph_node_count(&d.nodes) && !err; i++) {
		const struct graph_node *n = graph_node_at(&d.nodes, i);
		const double width = width_of_frame(&d, n);

		if (width >= LEAST)
			err = draw_frame(&d, n, d.x[i], width);
	}
	*height = d.top + ROW * d.rows;
	return err;
}

static int draw_kind(const struct profile *p, enum event_kind kind, double *height, struct buf *out)
{
	const struct profile_filter filter = { .events = EVENT_BIT(kind) };
	_cleanup_profile_ struct profile *part = NULL;

	return profile_filter_apply(&filter, p, &part) ?: add_graph(part, height, out);
}

/* Its head says how high it is, so that is made last. */
static int add_picture(const struct buf *graphs, double height, struct buf *out)
{
	return buf_printf(out,
			  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
			  "width=\"%.0f\" height=\"%.0f\" font-family=\"monospace\" font-size=\"11\">\n"
			  "<title>pyperf-bpf: flame graph</title>\n"
			  "<style>rect{stroke:#fff;stroke-width:0.5}</style>\n"
			  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
			  WIDTH, height + MARGIN, WIDTH, height + MARGIN) ?:
	       buf_add(out, graphs->data, graphs->size) ?: buf_add_string(out, "</svg>\n");
}

int svg_encode(const struct profile *p, struct buf *out)
{
	const __u32 events = profile_get_info(p)->events;
	const size_t start = out->size;
	_cleanup_buf_ struct buf graphs = {};
	double height = 0;
	int err = 0;

	for (int kind = 0; kind < EVENT_KINDS && !err; kind++)
		if (events & EVENT_BIT(kind))
			err = draw_kind(p, kind, &height, &graphs);
	err = err ?: add_picture(&graphs, height, out);
	if (err)
		out->size = start;
	return err;
}
