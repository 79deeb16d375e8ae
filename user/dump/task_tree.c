// SPDX-License-Identifier: GPL-2.0-only
#include "dump/task_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum tree_mark { NEW, ON_PATH, DONE };

struct growing {
	const struct task *tasks;
	__u32 count;
	const __u32 *awaiters;
	__u32 *first; /* of each task: where in `awaited` those begin that it awaits; one more at the end */
	__u32 *awaited;
	__u8 *marks; /* enum tree_mark */
	struct tree_row *rows;
	size_t row_count;
	/* The path from a root, and how many of what each awaits has been visited. */
	struct {
		__u32 task, next;
	} path[TREE_DEPTH_MAX];
};

/* Turns "is awaited by" around: counts first, and then fills from the end of each part to its start. */
static void turn_around(struct growing *g)
{
	for (__u32 i = 0; i < g->count; i++)
		for (__u32 k = 0; k < g->tasks[i].awaiters; k++)
			g->first[g->awaiters[g->tasks[i].first_awaiter + k]]++;
	for (__u32 i = 1; i <= g->count; i++)
		g->first[i] += g->first[i - 1];
	for (__u32 i = g->count; i-- > 0;)
		for (__u32 k = g->tasks[i].awaiters; k-- > 0;)
			g->awaited[--g->first[g->awaiters[g->tasks[i].first_awaiter + k]]] = i;
}

static enum tree_kind add_tree_row(struct growing *g, __u32 task, __u32 depth)
{
	enum tree_kind kind = TREE_TASK;

	if (g->marks[task] == ON_PATH)
		kind = TREE_CYCLE;
	else if (g->marks[task] == DONE)
		kind = TREE_ABOVE;
	else if (depth == TREE_DEPTH_MAX)
		kind = TREE_BELOW;
	g->rows[g->row_count++] = (struct tree_row){ task, depth, kind };
	return kind;
}

static void grow(struct growing *g, __u32 root)
{
	__u32 depth = 1;

	add_tree_row(g, root, 0);
	g->marks[root] = ON_PATH;
	g->path[0].task = root;
	g->path[0].next = g->first[root];
	while (depth) {
		const __u32 task = g->path[depth - 1].task, at = g->path[depth - 1].next++;

		if (at == g->first[task + 1]) {
			g->marks[task] = DONE;
			depth--;
		} else if (add_tree_row(g, g->awaited[at], depth) == TREE_TASK) {
			const __u32 next = g->awaited[at];

			g->marks[next] = ON_PATH;
			g->path[depth].task = next;
			g->path[depth++].next = g->first[next];
		}
	}
}

static void grow_all(struct growing *g)
{
	for (__u32 i = 0; i < g->count; i++)
		if (!g->tasks[i].awaiters)
			grow(g, i);
	for (size_t i = 0; i < g->row_count; i++)
		if (g->rows[i].kind == TREE_BELOW && g->marks[g->rows[i].task] == NEW)
			grow(g, g->rows[i].task);
	/* Whatever is left stands in a circle, or is awaited by one. */
	for (__u32 i = 0; i < g->count; i++)
		if (g->marks[i] == NEW)
			grow(g, i);
}

int task_tree(const struct tasks *head, const struct task *tasks, const __u32 *awaiters,
	      struct tree_row **ret, size_t *ret_count)
{
	struct growing g = { .tasks = tasks, .count = head->tasks, .awaiters = awaiters };
	_cleanup_free_ __u32 *first = calloc(head->tasks + 2, sizeof(*first));
	_cleanup_free_ __u32 *awaited = calloc(head->awaiters + 1, sizeof(*awaited));
	_cleanup_free_ __u8 *marks = calloc(head->tasks + 1, sizeof(*marks));

	g.rows = calloc((size_t)head->tasks + head->awaiters + 1, sizeof(*g.rows));
	if (!first || !awaited || !marks || !g.rows) {
		free(g.rows);
		return -ENOMEM;
	}
	g.first = first;
	g.awaited = awaited;
	g.marks = marks;
	turn_around(&g);
	grow_all(&g);
	*ret = g.rows;
	*ret_count = g.row_count;
	return 0;
}
