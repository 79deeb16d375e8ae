// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/interned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS 256

static __u32 *find_slot(const struct interned *t, const void *data, size_t size, __u32 hash)
{
	for (__u32 at = hash;; at++) {
		__u32 *slot = &t->slots[at & (t->slot_count - 1)];
		const struct interned_record *r;

		if (!*slot)
			return slot;
		r = &t->by_id[*slot - 1];
		if (r->hash == hash && r->size == size && !memcmp(t->bytes.data + r->offset, data, size))
			return slot;
	}
}

/* Twice as many slots as records, at least. */
static int grow_slots(struct interned *t)
{
	const __u32 n = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS;
	__u32 *slots;

	if (t->count * 2 < t->slot_count)
		return 0;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (__u32 id = 1; id <= t->count; id++) {
		__u32 at = t->by_id[id - 1].hash;

		while (slots[at & (n - 1)])
			at++;
		slots[at & (n - 1)] = id;
	}
	free(t->slots);
	t->slots = slots;
	t->slot_count = n;
	return 0;
}

static int grow_records(struct interned *t)
{
	const __u32 n = t->capacity ? t->capacity * 2 : FIRST_SLOTS;
	struct interned_record *by_id;

	if (t->count < t->capacity)
		return 0;
	if (t->count >= INTERNED_MAX)
		return -E2BIG;
	by_id = realloc(t->by_id, n * sizeof(*by_id));
	if (!by_id)
		return -ENOMEM;
	t->by_id = by_id;
	t->capacity = n;
	return 0;
}

/* Bytes to the next multiple of 8, and one at least: texts are read as C has them. */
static size_t padding(size_t size)
{
	return 8 - size % 8;
}

int interned_add(struct interned *t, const void *data, size_t size, __u32 *ret_id)
{
	const __u32 hash = hash_bytes(data, size);
	static const char zeros[8];
	const size_t offset = t->bytes.size;
	__u32 *slot;
	int err;

	if (size > BUF_MAX)
		return -ENOMEM;
	err = grow_slots(t) ?: grow_records(t);
	if (err)
		return err;
	slot = find_slot(t, data, size, hash);
	if (!*slot) {
		err = buf_reserve(&t->bytes, size + sizeof(zeros)) ?: buf_add(&t->bytes, data, size) ?:
		      buf_add(&t->bytes, zeros, padding(size));
		if (err)
			return err;
		t->by_id[t->count++] = (struct interned_record){ offset, size, hash };
		*slot = t->count;
	}
	*ret_id = *slot;
	return 0;
}

__u32 interned_find(const struct interned *t, const void *data, size_t size)
{
	return t->slot_count ? *find_slot(t, data, size, hash_bytes(data, size)) : 0;
}

const void *interned_get(const struct interned *t, __u32 id, size_t *ret_size)
{
	const struct interned_record *r = &t->by_id[id - 1];

	if (ret_size)
		*ret_size = r->size;
	return t->bytes.data + r->offset;
}

void interned_free(struct interned *t)
{
	buf_free(&t->bytes);
	free(t->by_id);
	free(t->slots);
	*t = (struct interned){ 0 };
}
