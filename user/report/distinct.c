// SPDX-License-Identifier: GPL-2.0-only
#include "report/distinct.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "recorded/recorded.h"

#define DEEP 256 /* frames, from which on it is worth it */

/* By place - 1: where in the list it is, if that is a place of the stack at hand. */
struct distinct_seen {
	__u32 stack, at;
};

static int add_distinct_stack(struct distinct *d, struct distinct_seen *seen, __u32 id,
			      const struct recorded_stack *s)
{
	struct distinct_range *range = &d->of_stack[id - 1];
	int err = 0;

	range->first = d->places.size / sizeof(struct distinct_place);
	for (size_t i = 0; i < s->n && !err; i++) {
		const struct distinct_place new = { s->places[i], i, i };
		struct distinct_seen *known = &seen[new.place - 1];

		if (known->stack == id) {
			((struct distinct_place *)d->places.data)[range->first + known->at].last = i;
			continue;
		}
		if (range->count > s->n / 2)
			break;
		*known = (struct distinct_seen){ id, range->count++ };
		err = buf_add(&d->places, &new, sizeof(new));
	}
	if (range->count > s->n / 2) { /* as long as the stack itself, for little */
		d->places.size = range->first * sizeof(struct distinct_place);
		range->count = 0;
	}
	return err;
}

int distinct_make(const struct recorded *r, struct distinct *ret)
{
	const __u32 stacks = recorded_stacks(r);
	_cleanup_free_ struct distinct_seen *seen = NULL;
	int err = 0;

	for (__u32 id = 1; id <= stacks && !err; id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);

		if (s.n < DEEP)
			continue;
		seen = seen ?: calloc((size_t)r->places.count + 1, sizeof(*seen));
		ret->of_stack = ret->of_stack ?: calloc((size_t)stacks + 1, sizeof(*ret->of_stack));
		err = seen && ret->of_stack ? add_distinct_stack(ret, seen, id, &s) : -ENOMEM;
	}
	return err;
}

void distinct_free(struct distinct *d)
{
	buf_free(&d->places);
	free(d->of_stack);
	d->of_stack = NULL;
}

const struct distinct_place *distinct_get(const struct distinct *d, __u32 stack, size_t *ret)
{
	const struct distinct_range *range = d->of_stack ? &d->of_stack[stack - 1] : NULL;

	if (!range || !range->count)
		return NULL;
	*ret = range->count;
	return (const struct distinct_place *)d->places.data + range->first;
}
