// SPDX-License-Identifier: GPL-2.0-only
#include "profile/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int moments_add(struct moments *m, const struct moment *one)
{
	if (m->count == m->capacity) {
		const size_t capacity = m->capacity ? m->capacity + m->capacity / 2 : 256;
		struct moment *grown = reallocarray(m->list, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		m->list = grown;
		m->capacity = capacity;
	}
	m->list[m->count++] = *one;
	return 0;
}

void moments_free(struct moments *m)
{
	free(m->list);
	*m = (struct moments){};
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return number_order(x->sample, y->sample) ?: number_order(x->kind, y->kind) ?:
	       number_order(x->begin, y->begin) ?: number_order(x->end, y->end) ?:
	       number_order(x->amount, y->amount);
}

int moments_sort(const struct moments *m, __u32 samples, struct sorted_moments *ret)
{
	struct sorted_moments sorted = {
		.list = calloc(m->count, sizeof(*sorted.list)),
		.first = calloc((size_t)samples + 2, sizeof(*sorted.first)),
	};

	if (!sorted.list || !sorted.first) {
		sorted_moments_free(&sorted);
		return -ENOMEM;
	}
	memcpy(sorted.list, m->list, m->count * sizeof(*m->list));
	qsort(sorted.list, m->count, sizeof(*sorted.list), compare_moments);
	for (size_t i = 0; i < m->count; i++)
		sorted.first[sorted.list[i].sample + 1]++;
	for (__u32 id = 0; id <= samples; id++)
		sorted.first[id + 1] += sorted.first[id];
	*ret = sorted;
	return 0;
}

void sorted_moments_free(struct sorted_moments *m)
{
	free(m->list);
	free(m->first);
	*m = (struct sorted_moments){};
}
