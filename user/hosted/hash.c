// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/hash.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"

#define PATIENCE_NS (100 * NS_PER_MS) /* whoever has had the lock for so long has ended */
#define SPINS	    1000

static void lock(struct shared_hash *h)
{
	__u64 until = 0;

	for (unsigned int i = 1; __atomic_exchange_n(&h->lock, 1, __ATOMIC_ACQUIRE); i++) {
		if (i % SPINS)
			continue;
		until = until ?: clock_ns() + PATIENCE_NS;
		if (clock_ns() > until)
			return;
		sched_yield();
	}
}

static void unlock(struct shared_hash *h)
{
	__atomic_store_n(&h->lock, 0, __ATOMIC_RELEASE);
}

static __u32 buckets_of(__u32 entries)
{
	__u32 n = 2;

	while (n < entries)
		n *= 2;
	return n;
}

static size_t round_up(size_t n)
{
	return (n + 7) / 8 * 8;
}

static size_t entry_bytes(const struct shared_hash *h)
{
	return round_up(sizeof(__u32)) + round_up(h->key_size) + round_up(h->value_size);
}

static __u8 *entry(struct shared_hash *h, __u32 i)
{
	const size_t begin = round_up(sizeof(*h) + h->buckets * sizeof(h->first[0]));

	return (__u8 *)h + begin + i * entry_bytes(h);
}

static __u32 *link_of(struct shared_hash *h, __u32 i)
{
	return (__u32 *)entry(h, i);
}

static void *key_of(struct shared_hash *h, __u32 i)
{
	return entry(h, i) + round_up(sizeof(__u32));
}

static void *value_of(struct shared_hash *h, __u32 i)
{
	return entry(h, i) + round_up(sizeof(__u32)) + round_up(h->key_size);
}

size_t shared_hash_bytes(__u32 key_size, __u32 value_size, __u32 entries)
{
	struct shared_hash h = { key_size, value_size, entries, buckets_of(entries), 0, 0, 0, 0 };

	return round_up(sizeof(h) + h.buckets * sizeof(h.first[0])) + entries * entry_bytes(&h);
}

void shared_hash_begin(struct shared_hash *h, __u32 key_size, __u32 value_size, __u32 entries)
{
	*h = (struct shared_hash){ key_size, value_size, entries, buckets_of(entries), 0, 0, 0, 0 };
}

static __u32 *bucket_of(struct shared_hash *h, const void *key)
{
	const __u8 *bytes = key;
	__u32 hash = 2166136261;

	for (__u32 i = 0; i < h->key_size; i++)
		hash = (hash ^ bytes[i]) * 16777619;
	return &h->first[(hash ^ hash >> 15) & (h->buckets - 1)];
}

/* The word that leads to the entry of this key. Links are bounded, since the other side may be broken. */
static __u32 *find_link(struct shared_hash *h, const void *key)
{
	__u32 *at = bucket_of(h, key);

	for (__u32 steps = 0; *at && *at <= h->entries && steps <= h->entries; steps++) {
		if (!memcmp(key_of(h, *at - 1), key, h->key_size))
			return at;
		at = link_of(h, *at - 1);
	}
	return NULL;
}

void *shared_hash_find(struct shared_hash *h, const void *key)
{
	const __u32 *at;
	void *value;

	lock(h);
	at = find_link(h, key);
	value = at ? value_of(h, *at - 1) : NULL;
	unlock(h);
	return value;
}

/* The number of an entry for a new key; -1: there is none. */
static __s64 take_entry(struct shared_hash *h)
{
	if (h->free && h->free <= h->entries) {
		const __u32 i = h->free - 1;

		h->free = *link_of(h, i);
		return i;
	}
	return h->used < h->entries ? (__s64)h->used++ : -1;
}

int shared_hash_set(struct shared_hash *h, const void *key, const void *value)
{
	const __u32 *at;
	__s64 i;

	lock(h);
	at = find_link(h, key);
	i = at ? (__s64)*at - 1 : take_entry(h);
	if (i >= 0)
		memcpy(value_of(h, i), value, h->value_size);
	if (i >= 0 && !at) {
		__u32 *first = bucket_of(h, key);

		memcpy(key_of(h, i), key, h->key_size);
		*link_of(h, i) = *first;
		*first = i + 1;
		h->count++;
	}
	unlock(h);
	return i < 0 ? -E2BIG : 0;
}

int shared_hash_remove(struct shared_hash *h, const void *key)
{
	__u32 *at, i;

	lock(h);
	at = find_link(h, key);
	if (at) {
		i = *at - 1;
		*at = *link_of(h, i);
		*link_of(h, i) = h->free;
		h->free = i + 1;
		h->count--;
	}
	unlock(h);
	return at ? 0 : -ENOENT;
}

__u32 shared_hash_all(struct shared_hash *h, void *keys, void *values)
{
	__u8 *key = keys, *value = values;
	__u32 n = 0;

	lock(h);
	for (__u32 b = 0; b < h->buckets; b++)
		for (__u32 at = h->first[b]; at && at <= h->entries && n < h->entries; n++) {
			memcpy(key, key_of(h, at - 1), h->key_size);
			memcpy(value, value_of(h, at - 1), h->value_size);
			key += h->key_size;
			value += h->value_size;
			at = *link_of(h, at - 1);
		}
	unlock(h);
	return n;
}
