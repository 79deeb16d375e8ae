// SPDX-License-Identifier: GPL-2.0-only
#include "profile/moments.h"

#include <errno.h>
#include <stdlib.h>

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
