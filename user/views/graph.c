// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph.c - see graph.h. Stacks are sorted by owner and by frames from the root. So each one begins as the
 * one before it did, and what follows are the nodes that it adds.
 */
#include "views/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/shown.h"
#include "views/graph_lines.h"
#include "views/graph_pairs.h"
#include "views/graph_tables.h"

struct graph_node {
	__u32 parent, depth; /* a parent comes first: at depth 0 it is the node itself */
	__u32 of;	     /* id of the owner or the function; 0 = what was left out */
	__u64 self, total;
};

struct graph {
	const struct profile *profile;
	const bool *stop;
	__u32 *order;	/* samples */
	struct buf nodes, path; /* struct graph_node[]; __u32[]: nodes of the last stack, by depth */
	__u64 least;	/* smaller totals are left out */
	__u64 left_nodes, left_value;
};

static bool is_stopped(const struct graph *g)
{
	return g->stop && __atomic_load_n(g->stop, __ATOMIC_RELAXED);
}

static struct graph_node *node_at(const struct graph *g, size_t i)
{
	return (struct graph_node *)(void *)g->nodes.data + i;
}

static size_t node_count(const struct graph *g)
{
	return g->nodes.size / sizeof(struct graph_node);
}

static __u32 key(const struct graph *g, const struct profile_stack *s, __u32 depth)
{
	return depth ? profile_get_location(g->profile, s->locations[s->n - depth])->function : s->owner;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct graph *g = context;
	const struct profile_stack x = profile_get_sample(g->profile, *(const __u32 *)a);
	const struct profile_stack y = profile_get_sample(g->profile, *(const __u32 *)b);

	if (is_stopped(g)) /* the order is not looked at any more */
		return 0;
	for (__u32 depth = 0; depth <= x.n && depth <= y.n; depth++) {
		const __u32 of_x = key(g, &x, depth), of_y = key(g, &y, depth);

		if (of_x != of_y)
			return of_x < of_y ? -1 : 1;
	}
	return (x.n > y.n) - (x.n < y.n);
}

/* --- the nodes ----------------------------------------------------------------------------------------- */

static int add_node(struct graph *g, __u32 depth, __u32 of)
{
	const __u32 *path = (const __u32 *)(void *)g->path.data, id = node_count(g);
	const struct graph_node node = { .parent = depth ? path[depth - 1] : id, .depth = depth, .of = of };

	return buf_add(&g->nodes, &node, sizeof(node)) ?: buf_add(&g->path, &id, sizeof(id));
}

static int add_stack(struct graph *g, const struct profile_stack *s)
{
	__u32 depth = 0, last;
	int err = 0;

	while (depth <= s->n && depth < g->path.size / sizeof(__u32)) {
		memcpy(&last, g->path.data + depth * sizeof(last), sizeof(last));
		if (node_at(g, last)->of != key(g, s, depth))
			break;
		depth++;
	}
	g->path.size = depth * sizeof(__u32);
	for (; depth <= s->n && !err; depth++)
		err = add_node(g, depth, key(g, s, depth));
	if (err)
		return err;
	memcpy(&last, g->path.data + s->n * sizeof(last), sizeof(last));
	node_at(g, last)->self += s->count;
	return 0;
}

static int make_nodes(struct graph *g)
{
	__u32 n = 0;
	int err = 0;

	for (__u32 id = 1; id <= profile_count(g->profile, PROFILE_SAMPLE); id++)
		if (profile_get_sample(g->profile, id).count) /* else it is of another kind of event */
			g->order[n++] = id;
	qsort_r(g->order, n, sizeof(*g->order), compare, g);
	for (__u32 i = 0; i < n && !err; i++) {
		const struct profile_stack s = profile_get_sample(g->profile, g->order[i]);

		err = is_stopped(g) ? -ECANCELED : add_stack(g, &s);
	}
	return err;
}

static void add_totals(struct graph *g)
{
	for (size_t i = node_count(g); i-- > 0;) {
		struct graph_node *n = node_at(g, i);

		n->total += n->self;
		if (n->depth)
			node_at(g, n->parent)->total += n->total;
	}
}

/* The least power of two of which not more than `most` nodes have as much. */
static void find_least(struct graph *g, __u32 most)
{
	size_t of_size[65] = {}, n = 0;
	int size = 64;

	for (size_t i = 0; i < node_count(g); i++)
		of_size[64 - __builtin_clzll(node_at(g, i)->total | 1)]++;
	while (size > 0 && n + of_size[size] <= most)
		n += of_size[size--];
	g->least = size == 64 ? ~0ULL : size ? 1ULL << size : 0;
}

/*
 * In place of callees that are left out there is a node without a function. The nodes that stay are moved to
 * the front; they are not more than there were, since each that comes in stands for one or more that go.
 */
static int leave_out(struct graph *g)
{
	_cleanup_free_ __u32 *moved = NULL;
	size_t to = 0;

	if (!g->least)
		return 0;
	moved = calloc(node_count(g) + 1, sizeof(*moved));
	if (!moved)
		return -ENOMEM;
	for (size_t i = 0; i < node_count(g); i++) {
		struct graph_node n = *node_at(g, i), *before = to ? node_at(g, to - 1) : NULL;

		if (n.depth && !moved[n.parent]) /* its caller is out */
			continue;
		n.parent = n.depth ? moved[n.parent] - 1 : to;
		if (n.depth && n.total < g->least) {
			g->left_value += n.total;
			g->left_nodes++;
			if (before && !before->of && before->parent == n.parent) {
				before->self += n.total;
				continue;
			}
			n.of = 0;
			n.self = n.total;
		} else {
			moved[i] = to + 1;
		}
		*node_at(g, to++) = n;
	}
	g->nodes.size = to * sizeof(struct graph_node);
	return 0;
}

/* --- as JSON ------------------------------------------------------------------------------------------- */

static int add_head(const struct graph *g, struct buf *out)
{
	const struct profile *p = g->profile;
	const struct profile_info *info = profile_get_info(p);
	const struct event_row *row = &event_rows[profile_shown(p)];
	const enum event_unit unit = shown_unit(p);
	int err;

	err = buf_printf(out,
			 "{\"schema\":\"pyperf-bpf.graph/1\",\"event\":\"%s\",\"type\":\"%s\","
			 "\"unit\":\"%s\",\"total\":%llu,\"seconds\":%.3f,\"start\":%.3f",
			 row->key, unit == row->unit ? row->type : row->key,
			 unit == UNIT_COUNT ? "count" : event_unit_name(unit), profile_total(p),
			 info->duration_ns / 1e9, info->start_unix_ns / 1e9);
	if (!err && row->unit == UNIT_COUNT)
		err = buf_printf(out, ",\"samples\":%llu", profile_total_of(p, profile_shown(p)));
	return err ?: graph_add_kinds(out);
}

static int add_column(const struct graph *g, const char *name, struct graph_tables *t, struct buf *out)
{
	int err = buf_printf(out, "\"%s\":[", name);

	for (size_t i = 0; i < node_count(g) && !err; i++) {
		const struct graph_node *n = node_at(g, i);
		__u64 value = n->self;
		__u32 place = n->depth;

		if (*name != 's') {
			if (*name == 'o')
				err = n->depth ? graph_function(t, n->of, &place) :
						 graph_owner(t, n->of, &place);
			value = place;
		}
		if (!err && i)
			err = buf_add(out, ",", 1);
		err = err ?: buf_add_number(out, value);
	}
	return err ?: buf_add_string(out, "]");
}

static int add_nodes(struct graph *g, struct graph_tables *t, struct buf *out)
{
	static const char *const columns[] = { "depth", "of", "self" };
	int err = buf_add_string(out, ",\"nodes\":{");

	for (size_t i = 0; i < ARRAY_SIZE(columns) && !err; i++) {
		err = i ? buf_add_string(out, ",") : 0;
		err = err ?: is_stopped(g) ? -ECANCELED : add_column(g, columns[i], t, out);
	}
	return err ?: buf_printf(out, "},\"left_out\":{\"nodes\":%llu,\"value\":%llu}", g->left_nodes,
				 g->left_value);
}

static int encode(struct graph *g, __u32 most, struct buf *out)
{
	_cleanup_graph_tables_ struct graph_tables t = { .profile = g->profile };
	int err = graph_tables_open(&t) ?: make_nodes(g);

	if (err)
		return err;
	add_totals(g);
	find_least(g, most);
	err = leave_out(g) ?: add_head(g, out) ?: add_nodes(g, &t, out) ?:
	      graph_add_lines(&t, g->stop, out) ?: graph_add_pairs(&t, g->stop, out) ?:
	      graph_add_tables(&t, out);
	return err ?: buf_add_string(out, "}\n");
}

int graph_encode_most(const struct profile *p, const bool *stop, __u32 most, struct buf *out)
{
	const size_t start = out->size;
	_cleanup_free_ __u32 *order = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1, sizeof(*order));
	struct graph g = { .profile = p, .stop = stop, .order = order };
	int err = order ? encode(&g, most, out) : -ENOMEM;

	buf_free(&g.nodes);
	buf_free(&g.path);
	if (err)
		out->size = start;
	return err;
}

int graph_encode_until(const struct profile *p, const bool *stop, struct buf *out)
{
	return graph_encode_most(p, stop, GRAPH_NODES_MAX, out);
}
