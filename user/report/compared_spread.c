// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_spread.c - of profiles of many machines: how far those differ among themselves. One bad node is no
 * regression: a difference that goes when one node is left out is that node's, and one that is no larger than
 * what lies between the nodes of a side is none. Each node's part is set against what it had to do: its whole
 * CPU time where sides are scaled by that, else all nodes are taken for equal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/chance.h"
#include "report/compared.h"

#define NODES_MAX     256 /* of a side */
#define ENOUGH_NODES  4	  /* more nodes than sides, from which on their spread can be told */

/* One side. */
struct spread_side {
	const struct compared_side *side;
	__u32 names[NODES_MAX];	 /* strings of recorded */
	double whole[NODES_MAX]; /* what the node had to do */
	size_t count;
	double *self;	/* of a row of interest, behind them of all, and a node: row * count + node */
	bool *takes;	/* stacks of the node at hand */
	__u32 *node_of; /* by stack id - 1: the node + 1; 0 = none */
};

struct spread {
	struct compared *compared;
	struct spread_side sides[2]; /* the base first */
	size_t *rows;		     /* those of interest: more than chance of sampling */
	size_t row_count;
	struct interned keys[2]; /* of these rows, as each side has them */
};

static size_t node_index(struct spread_side *s, __u32 name)
{
	size_t i = 0;

	while (i < s->count && s->names[i] != name)
		i++;
	if (i == s->count && i < NODES_MAX)
		s->names[s->count++] = name;
	return i;
}

static int find_nodes(struct spread *p, struct spread_side *s, __u32 key)
{
	const struct recorded *r = p->compared->recorded;
	const size_t n = recorded_stacks(r);

	s->node_of = calloc(n + 1, sizeof(*s->node_of));
	s->takes = calloc(n + 1, sizeof(*s->takes));
	if (!s->node_of || !s->takes)
		return -ENOMEM;
	for (__u32 id = 1; id <= n; id++) {
		const struct recorded_stack stack = recorded_get_stack(r, id);
		const struct recorded_label *label = recorded_find_label(&stack, key);
		const bool is_here = !s->side->chosen.is_away || !s->side->chosen.is_away[id - 1];
		size_t node;

		if (!is_here || !label || !label->text)
			continue;
		node = node_index(s, label->text);
		if (node == NODES_MAX)
			continue;
		s->node_of[id - 1] = node + 1;
		if (p->compared->is_scaled_by_work)
			s->whole[node] += (double)stack.values[s->side->chosen.type];
	}
	for (size_t i = 0; i < s->count; i++)
		if (!p->compared->is_scaled_by_work)
			s->whole[i] = 1;
	return 0;
}

static int find_rows(struct spread *p)
{
	struct compared *c = p->compared;
	int err = 0;

	p->rows = calloc(c->count + 1, sizeof(*p->rows));
	if (!p->rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->count && !err; i++) {
		struct row_key base = c->rows[i].key;
		__u32 id;

		if (!c->rows[i].is_beyond)
			continue;
		base.line = c->rows[i].base_line ?: base.line;
		p->rows[p->row_count++] = i;
		err = interned_add(&p->keys[0], &base, sizeof(base), &id) ?:
		      interned_add(&p->keys[1], &c->rows[i].key, sizeof(base), &id);
	}
	/* Two rows of one key in a side cannot be told apart: then nothing is said of nodes. */
	if (!err && (p->keys[0].count != p->row_count || p->keys[1].count != p->row_count))
		p->row_count = 0;
	return err;
}

static int add_spread_node(struct spread *p, int side, size_t node, struct recorded *r,
			   const struct report_query *q, enum answer_by by, const char *label)
{
	struct spread_side *s = &p->sides[side];
	struct report_selection only = s->side->chosen;
	struct report_table t = { 0 };
	int err;

	for (size_t i = 0; i < recorded_stacks(r); i++) {
		s->takes[i] = s->node_of[i] == node + 1 && selection_takes(&s->side->chosen, i + 1);
		if (s->takes[i])
			s->self[p->row_count * s->count + node] +=
				(double)recorded_get_stack(r, i + 1).values[s->side->chosen.type];
	}
	only.takes = s->takes;
	err = table_make(&only, r, q, by, label, &t);
	for (size_t i = 0; i < t.count && !err; i++) {
		const struct row_key *key = row_keys_get(&t.keys, t.rows[i].key);
		const __u32 id = interned_find(&p->keys[side], key, sizeof(*key));

		if (id)
			s->self[(id - 1) * s->count + node] = (double)t.rows[i].self;
	}
	table_free(&t);
	return err;
}

static int add_nodes(struct spread *p, int side, struct recorded *r, const struct report_query *q)
{
	struct spread_side *s = &p->sides[side];
	enum answer_by by = BY_FUNCTION;
	const char *label = NULL;
	int err = q->by ? report_query_by(q->by, &by, &label) : 0;

	s->self = calloc((p->row_count + 1) * s->count + 1, sizeof(*s->self));
	if (!s->self)
		return -ENOMEM;
	for (size_t node = 0; node < s->count && !err; node++)
		err = add_spread_node(p, side, node, r, q, by, label);
	return err;
}

/* What a row has of what there was to do, of all nodes but one; and how much that varies by the nodes. */
static double rate(const struct spread_side *s, size_t row, size_t without, double *ret_variance)
{
	const double *self = s->self + row * s->count;
	double sum = 0, whole = 0, off = 0, found;
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (i != without) {
			sum += self[i];
			whole += s->whole[i];
			n++;
		}
	found = whole > 0 ? sum / whole : 0;
	for (size_t i = 0; i < s->count; i++)
		if (i != without)
			off += (self[i] - found * s->whole[i]) * (self[i] - found * s->whole[i]);
	*ret_variance = n > 1 && whole > 0 ? (double)n / (double)(n - 1) * off / (whole * whole) : 0;
	return found;
}

/* The node without which less than half of the difference is there; 0 = there is none such. */
static __u32 find_decisive_node(const struct spread *p, size_t row, double difference)
{
	double variance, least = difference / 2;
	__u32 found = 0;

	for (int side = 0; side < 2; side++) {
		const struct spread_side *s = &p->sides[side];
		const double other = rate(&p->sides[!side], row, NODES_MAX, &variance);

		for (size_t i = 0; i < s->count && s->count > 1; i++) {
			const double one = rate(s, row, i, &variance);
			const double left = side ? one - other : other - one;

			if (difference > 0 ? left < least : left > least) {
				least = left;
				found = s->names[i];
			}
		}
	}
	return found;
}

static void judge(const struct spread *p, size_t row, struct compared_row *to)
{
	double base_variance, now_variance, difference;
	const size_t nodes = p->sides[0].count + p->sides[1].count;
	const double base = rate(&p->sides[0], row, NODES_MAX, &base_variance);
	const double now = rate(&p->sides[1], row, NODES_MAX, &now_variance);

	difference = now - base;
	to->node = find_decisive_node(p, row, difference);
	if (to->node)
		to->is_beyond = false;
	else if (p->sides[0].count > 1 && p->sides[1].count > 1 && nodes - 2 >= ENOUGH_NODES)
		to->is_beyond = chance_is_rare(difference, base_variance + now_variance, nodes - 2);
}

int compared_spread(struct compared *c, struct recorded *r, const struct report_query *q)
{
	_cleanup_free_ struct spread *p = calloc(1, sizeof(*p));
	const __u32 key = interned_find(&r->strings, "node", strlen("node"));
	int err = p ? 0 : -ENOMEM;

	if (err || !key)
		return err;
	p->compared = c;
	p->sides[0].side = &c->base;
	p->sides[1].side = &c->now;
	err = find_nodes(p, &p->sides[0], key) ?: find_nodes(p, &p->sides[1], key) ?: find_rows(p);
	for (int side = 0; side < 2 && !err && (p->row_count || c->whole.is_beyond); side++)
		err = add_nodes(p, side, r, q);
	for (size_t i = 0; i < p->row_count && !err; i++)
		judge(p, i, &c->rows[p->rows[i]]);
	if (!err && c->whole.is_beyond)
		judge(p, p->row_count, &c->whole);
	for (int side = 0; side < 2; side++) {
		free(p->sides[side].self);
		free(p->sides[side].takes);
		free(p->sides[side].node_of);
		interned_free(&p->keys[side]);
	}
	free(p->rows);
	return err;
}
