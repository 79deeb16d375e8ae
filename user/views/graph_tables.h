/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_tables.h - the tables that the nodes of a graph (graph.h) name: owners, functions and texts, those
 * that were asked for and no others.
 */
#ifndef PYPERF_VIEWS_GRAPH_TABLES_H
#define PYPERF_VIEWS_GRAPH_TABLES_H

#include "base/buf.h"
#include "profile/profile.h"

#define GRAPH_LEFT_OUT "[left out]"

/* A table that grows: which place each id has, plus 1, and the ids by their places. */
struct graph_table {
	__u32 *places;
	struct buf ids; /* __u32[] */
};

struct graph_tables {
	const struct profile *profile; /* the caller sets it */
	struct graph_table owners, functions, strings;
	struct buf packages; /* their names, each with its NUL */
	__u32 *package_of;   /* by id of a file, its place there plus 1 */
	__u32 *file_of;	     /* by id of a function, the file by which it is of a package (own_time.h) */
};

/* 0 or -ENOMEM; graph_tables_close() it in both cases. */
int graph_tables_open(struct graph_tables *t);
void graph_tables_close(struct graph_tables *t);
/* The place of an id in its table. A function of 0 is GRAPH_LEFT_OUT. 0 or -ENOMEM. */
int graph_owner(struct graph_tables *t, __u32 id, __u32 *ret);
int graph_function(struct graph_tables *t, __u32 id, __u32 *ret);
/* Appends ,"owners":...,"functions":...,"packages":...,"strings":... 0 or -ENOMEM. */
int graph_add_tables(struct graph_tables *t, struct buf *out);
/* Appends ,"kinds":..., what is to be known of kinds of frames. 0 or -ENOMEM. */
int graph_add_kinds(struct buf *out);

static inline void graph_tables_cleanup(struct graph_tables *t)
{
	graph_tables_close(t);
}

#define _cleanup_graph_tables_ _cleanup_(graph_tables_cleanup)

#endif
