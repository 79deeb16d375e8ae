// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph.c - see graph.h.
 */
#include "views/graph.h"

#include <errno.h>

#include "profile/frames.h"
#include "profile/profile.h"
#include "views/graph_lines.h"
#include "views/graph_nodes.h"
#include "views/graph_pairs.h"
#include "views/graph_tables.h"

static int add_head(const struct graph_nodes *g, struct buf *out)
{
	const struct profile *p = g->profile;
	const struct profile_info *info = profile_get_info(p);
	const struct event_row *row = &event_rows[profile_shown(p)];
	const enum event_unit unit = profile_shown_unit(p);
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

static int add_node_column(const struct graph_nodes *g, const char *name, struct graph_tables *t,
			   struct buf *out)
{
	int err = buf_printf(out, "\"%s\":[", name);

	for (size_t i = 0; i < graph_node_count(g) && !err; i++) {
		const struct graph_node *n = graph_node_at(g, i);
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

static int add_nodes(struct graph_nodes *g, struct graph_tables *t, struct buf *out)
{
	static const char *const columns[] = { "depth", "of", "self" };
	int err = buf_add_string(out, ",\"nodes\":{");

	for (size_t i = 0; i < ARRAY_SIZE(columns) && !err; i++) {
		err = i ? buf_add_string(out, ",") : 0;
		err = err ?: graph_nodes_stopped(g) ? -ECANCELED : add_node_column(g, columns[i], t, out);
	}
	return err ?: buf_printf(out, "},\"left_out\":{\"nodes\":%llu,\"value\":%llu}", g->left_nodes,
				 g->left_value);
}

static int encode(struct graph_nodes *g, __u32 most, struct buf *out)
{
	_cleanup_graph_tables_ struct graph_tables t = { .profile = g->profile };
	int err = graph_tables_open(&t) ?: graph_nodes_make(g, most);

	err = err ?: add_head(g, out) ?: add_nodes(g, &t, out) ?: graph_add_lines(&t, g->stop, out) ?:
	      graph_add_pairs(&t, g->stop, out) ?: graph_add_tables(&t, out);
	return err ?: buf_add_string(out, "}\n");
}

int graph_encode_most(const struct profile *p, const bool *stop, __u32 most, struct buf *out)
{
	_cleanup_graph_nodes_ struct graph_nodes g = { .profile = p, .stop = stop };
	const size_t start = out->size;
	int err = encode(&g, most, out);

	if (err)
		out->size = start;
	return err;
}

int graph_encode_until(const struct profile *p, const bool *stop, struct buf *out)
{
	return graph_encode_most(p, stop, GRAPH_NODES_MAX, out);
}
