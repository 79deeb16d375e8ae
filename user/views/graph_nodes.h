/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_nodes.h - the tree of a profile's stacks, as a table: whoever they are of, and below that functions,
 * callees below their callers.
 */
#ifndef PYPERF_VIEWS_GRAPH_NODES_H
#define PYPERF_VIEWS_GRAPH_NODES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "profile/profile.h"

struct graph_node {
	__u32 parent, depth; /* a parent comes first: at depth 0 it is the node itself */
	__u32 of;	     /* id of the owner or the function; 0 = what was left out */
	__u64 self, total;
};

/* Starts with profile, and perhaps stop, and zeros. */
struct graph_nodes {
	const struct profile *profile;
	const bool *stop;	   /* another thread may set it; NULL: none does */
	struct buf nodes, path;	   /* struct graph_node[]; __u32[]: nodes of the last stack, by depth */
	__u32 *owners, *functions; /* by id: their places among the others, by name */
	__u64 least;		   /* smaller totals are left out */
	__u64 left_nodes, left_value;
};

static inline bool graph_nodes_stopped(const struct graph_nodes *g)
{
	return g->stop && __atomic_load_n(g->stop, __ATOMIC_RELAXED);
}

static inline struct graph_node *graph_node_at(const struct graph_nodes *g, size_t i)
{
	return (struct graph_node *)(void *)g->nodes.data + i;
}

static inline size_t graph_node_count(const struct graph_nodes *g)
{
	return g->nodes.size / sizeof(struct graph_node);
}

/*
 * Makes the nodes, of the kind of event that the profile shows; those of one caller stand in the order of
 * their names, so that two profiles of one program can be laid beside each other. Of more than `most` the
 * smallest are left out, and a node without a function has their values. 0; -ENOMEM; -ECANCELED, soon after
 * *stop has become true. Release by graph_nodes_free() in each case.
 */
int graph_nodes_make(struct graph_nodes *g, __u32 most);
void graph_nodes_free(struct graph_nodes *g);

#define _cleanup_graph_nodes_ _cleanup_(graph_nodes_free)

#endif
