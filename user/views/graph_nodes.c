// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph_nodes.c - see graph_nodes.h. Stacks are sorted by owner and by frames from the root, each by name. So
 * each one begins as the one before it did, and what follows are the nodes that it adds.
 */
#include "views/graph_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static __u32 key(const struct graph_nodes *g, const struct profile_stack *s, __u32 depth)
{
	return depth ? profile_get_location(g->profile, s->locations[s->n - depth])->function : s->owner;
}

static int compare_texts(const struct profile *p, __u32 a, __u32 b)
{
	return a == b ? 0 : strcmp(profile_get_string(p, a), profile_get_string(p, b));
}

static int by_function(const void *a, const void *b, void *profile)
{
	const struct profile_function *x = profile_get_function(profile, *(const __u32 *)a);
	const struct profile_function *y = profile_get_function(profile, *(const __u32 *)b);

	return compare_texts(profile, x->name, y->name) ?: compare_texts(profile, x->file, y->file) ?:
	       number_order(x->start_line, y->start_line) ?: number_order(x->kind, y->kind);
}

static int by_owner(const void *a, const void *b, void *profile)
{
	const struct profile_owner *x = profile_get_owner(profile, *(const __u32 *)a);
	const struct profile_owner *y = profile_get_owner(profile, *(const __u32 *)b);
	int order = 0;

	for (int i = 0; i < LABEL_COUNT && !order; i++)
		order = label_rows[i].is_text ? compare_texts(profile, x->label[i], y->label[i]) :
						number_order(x->label[i], y->label[i]);
	for (__u32 i = 0; i < profile_get_info(profile)->extra_count && !order; i++)
		order = compare_texts(profile, x->extra[i], y->extra[i]);
	return order ?: number_order(*(const __u32 *)a, *(const __u32 *)b);
}

/* By id, which place each has; to be freed. NULL: no memory. */
static __u32 *places(const struct graph_nodes *g, enum profile_kind kind,
		     int (*by)(const void *a, const void *b, void *profile))
{
	const size_t n = profile_count(g->profile, kind);
	_cleanup_free_ __u32 *order = calloc(n + 1, sizeof(*order));
	__u32 *ret = calloc(n + 1, sizeof(*ret));

	for (size_t i = 0; order && ret && i < n; i++)
		order[i] = i + 1;
	if (!order || !ret) {
		free(ret);
		return NULL;
	}
	qsort_r(order, n, sizeof(*order), by, (void *)g->profile);
	for (size_t i = 0; i < n; i++)
		ret[order[i]] = i;
	return ret;
}

static int compare_stacks(const void *a, const void *b, void *context)
{
	const struct graph_nodes *g = context;
	const struct profile_stack x = profile_get_sample(g->profile, *(const __u32 *)a);
	const struct profile_stack y = profile_get_sample(g->profile, *(const __u32 *)b);

	if (graph_nodes_stopped(g)) /* the order is not looked at any more */
		return 0;
	for (__u32 depth = 0; depth <= x.n && depth <= y.n; depth++) {
		const __u32 of_x = key(g, &x, depth), of_y = key(g, &y, depth);

		if (of_x != of_y)
			return depth ? number_order(g->functions[of_x], g->functions[of_y]) :
				       number_order(g->owners[of_x], g->owners[of_y]);
	}
	return (x.n > y.n) - (x.n < y.n);
}

static int add_node(struct graph_nodes *g, __u32 depth, __u32 of)
{
	const __u32 *path = (const __u32 *)(void *)g->path.data, id = graph_node_count(g);
	const struct graph_node node = { .parent = depth ? path[depth - 1] : id, .depth = depth, .of = of };

	return buf_add(&g->nodes, &node, sizeof(node)) ?: buf_add(&g->path, &id, sizeof(id));
}

static int add_graph_stack(struct graph_nodes *g, const struct profile_stack *s)
{
	__u32 depth = 0, last;
	int err = 0;

	while (depth <= s->n && depth < g->path.size / sizeof(__u32)) {
		memcpy(&last, g->path.data + depth * sizeof(last), sizeof(last));
		if (graph_node_at(g, last)->of != key(g, s, depth))
			break;
		depth++;
	}
	g->path.size = depth * sizeof(__u32);
	for (; depth <= s->n && !err; depth++)
		err = add_node(g, depth, key(g, s, depth));
	if (err)
		return err;
	memcpy(&last, g->path.data + s->n * sizeof(last), sizeof(last));
	graph_node_at(g, last)->self += s->count;
	return 0;
}

static int make_nodes(struct graph_nodes *g)
{
	_cleanup_free_ __u32 *order = calloc((size_t)profile_count(g->profile, PROFILE_SAMPLE) + 1,
					      sizeof(*order));
	__u32 n = 0;
	int err = 0;

	g->owners = places(g, PROFILE_OWNER, by_owner);
	g->functions = places(g, PROFILE_FUNCTION, by_function);
	if (!order || !g->owners || !g->functions)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(g->profile, PROFILE_SAMPLE); id++)
		if (profile_get_sample(g->profile, id).count) /* else it is of another kind of event */
			order[n++] = id;
	qsort_r(order, n, sizeof(*order), compare_stacks, g);
	for (__u32 i = 0; i < n && !err; i++) {
		const struct profile_stack s = profile_get_sample(g->profile, order[i]);

		err = graph_nodes_stopped(g) ? -ECANCELED : add_graph_stack(g, &s);
	}
	return err;
}

static void add_totals(struct graph_nodes *g)
{
	for (size_t i = graph_node_count(g); i-- > 0;) {
		struct graph_node *n = graph_node_at(g, i);

		n->total += n->self;
		if (n->depth)
			graph_node_at(g, n->parent)->total += n->total;
	}
}

/* The least power of two of which not more than `most` nodes have as much. */
static void find_least(struct graph_nodes *g, __u32 most)
{
	size_t of_size[65] = {}, n = 0;
	int size = 64;

	for (size_t i = 0; i < graph_node_count(g); i++)
		of_size[64 - __builtin_clzll(graph_node_at(g, i)->total | 1)]++;
	while (size > 0 && n + of_size[size] <= most)
		n += of_size[size--];
	g->least = size == 64 ? ~0ULL : size ? 1ULL << size : 0;
}

/*
 * In place of callees that are left out there is a node without a function. The nodes that stay are moved to
 * the front; they are not more than there were, since each that comes in stands for one or more that go.
 */
static int leave_out(struct graph_nodes *g)
{
	_cleanup_free_ __u32 *moved = NULL;
	size_t to = 0;

	if (!g->least)
		return 0;
	moved = calloc(graph_node_count(g) + 1, sizeof(*moved));
	if (!moved)
		return -ENOMEM;
	for (size_t i = 0; i < graph_node_count(g); i++) {
		struct graph_node n = *graph_node_at(g, i), *before = to ? graph_node_at(g, to - 1) : NULL;

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
		*graph_node_at(g, to++) = n;
	}
	g->nodes.size = to * sizeof(struct graph_node);
	return 0;
}

int graph_nodes_make(struct graph_nodes *g, __u32 most)
{
	int err = make_nodes(g);

	if (err)
		return err;
	add_totals(g);
	find_least(g, most);
	return leave_out(g);
}

void graph_nodes_free(struct graph_nodes *g)
{
	buf_free(&g->nodes);
	buf_free(&g->path);
	free(g->owners);
	free(g->functions);
}
