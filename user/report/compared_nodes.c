// SPDX-License-Identifier: GPL-2.0-only
#include "report/compared_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void compared_nodes_free(struct compared_nodes *n)
{
	interned_free(&n->keys);
	free(n->base);
	free(n->now);
	free(n->first);
	free(n->next);
	*n = (struct compared_nodes){ 0 };
}

const char *compared_nodes_name(const struct compared_nodes *n, __u32 id)
{
	const struct recorded *r = n->compared->recorded;
	const struct recorded_function *f = recorded_get_function(r, compared_nodes_get(n, id)->function);

	return recorded_get_string(r, f->name);
}

static int grow_nodes(struct compared_nodes *n, __u32 id)
{
	const size_t capacity = n->capacity ? n->capacity * 2 : 256;
	__s64 *base, *now;

	if (id <= n->capacity)
		return 0;
	base = reallocarray(n->base, capacity, sizeof(*base));
	if (!base)
		return -ENOMEM;
	n->base = base;
	now = reallocarray(n->now, capacity, sizeof(*now));
	if (!now)
		return -ENOMEM;
	n->now = now;
	memset(base + n->capacity, 0, (capacity - n->capacity) * sizeof(*base));
	memset(now + n->capacity, 0, (capacity - n->capacity) * sizeof(*now));
	n->capacity = capacity;
	return 0;
}

static int add_stack_nodes(struct compared_nodes *n, const struct recorded_stack *s, __s64 value,
			   bool is_base)
{
	struct compared_node_key key = { 0 };
	int err = 0;

	for (size_t i = s->n; i-- && !err;) {
		__u32 id;

		key.function = recorded_get_place(n->compared->recorded, s->places[i])->function;
		err = interned_add(&n->keys, &key, sizeof(key), &id) ?: grow_nodes(n, id);
		if (!err) {
			__s64 *sum = is_base ? &n->base[id - 1] : &n->now[id - 1];

			*sum = recorded_sum(*sum, value);
			key.parent = id;
		}
	}
	return err;
}

static int add_stacks(struct compared_nodes *n)
{
	const struct compared *c = n->compared;
	int err = 0;

	for (__u32 id = 1; id <= recorded_stacks(c->recorded) && !err; id++) {
		const struct recorded_stack s = recorded_get_stack(c->recorded, id);
		const __s64 value = s.values[c->now.chosen.type];

		if (value && selection_takes(&c->base.chosen, id))
			err = add_stack_nodes(n, &s, value, true);
		if (value && !err && selection_takes(&c->now.chosen, id))
			err = add_stack_nodes(n, &s, value, false);
	}
	return err;
}

/* The last name first, as lists are filled from their end. */
static int by_name(const void *x, const void *y, void *context)
{
	const __u32 a = *(const __u32 *)x, b = *(const __u32 *)y;
	const int order = strcmp(compared_nodes_name(context, b), compared_nodes_name(context, a));

	return order ?: (a < b) - (a > b);
}

static int make_lists(struct compared_nodes *n)
{
	const __u32 count = n->keys.count;
	_cleanup_free_ __u32 *order = calloc((size_t)count + 1, sizeof(*order));

	n->first = calloc((size_t)count + 1, sizeof(*n->first));
	n->next = calloc((size_t)count + 1, sizeof(*n->next));
	if (!order || !n->first || !n->next)
		return -ENOMEM;
	for (__u32 i = 0; i < count; i++)
		order[i] = i + 1;
	qsort_r(order, count, sizeof(*order), by_name, n);
	for (__u32 i = 0; i < count; i++) {
		const __u32 parent = compared_nodes_get(n, order[i])->parent;

		n->next[order[i]] = n->first[parent];
		n->first[parent] = order[i];
	}
	return 0;
}

int compared_nodes_make(const struct compared *c, struct compared_nodes *ret)
{
	*ret = (struct compared_nodes){ .compared = c };
	return add_stacks(ret) ?: make_lists(ret);
}
