// SPDX-License-Identifier: GPL-2.0-only
#include "tree/lines_met.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define CAPACITY_FIRST 1024 /* a power of 2, as all that follow */

/* The slot of the key, or the free one for it. At most half of the table is in use. */
static __u64 *find(const struct lines_met *p, __u64 key)
{
	__u32 at = hash_bytes(&key, sizeof(key));

	while (p->keys[at & (p->capacity - 1)] && p->keys[at & (p->capacity - 1)] != key)
		at++;
	return &p->keys[at & (p->capacity - 1)];
}

static int grow(struct lines_met *p)
{
	struct lines_met larger = { .capacity = 2 * p->capacity ?: CAPACITY_FIRST, .count = p->count };

	larger.keys = calloc(larger.capacity, sizeof(*larger.keys));
	if (!larger.keys)
		return -ENOMEM;
	for (__u32 i = 0; i < p->capacity; i++)
		if (p->keys[i])
			*find(&larger, p->keys[i]) = p->keys[i];
	free(p->keys);
	*p = larger;
	return 0;
}

int lines_met_add(struct lines_met *p, __u64 key)
{
	int err = 2 * p->count >= p->capacity ? grow(p) : 0;
	__u64 *place;

	if (err)
		return err;
	place = find(p, key);
	p->count += !*place;
	*place = key;
	return 0;
}

void lines_met_free(struct lines_met *p)
{
	free(p->keys);
	*p = (struct lines_met){};
}
