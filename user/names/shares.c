// SPDX-License-Identifier: GPL-2.0-only
#include "names/shares.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

struct share_slot {
	struct owner_share share;
	UT_hash_handle hh;
};

struct shares {
	struct share_slot *slots;
};

int shares_new(struct shares **ret)
{
	struct shares *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*ret = s;
	return 0;
}

void shares_free(struct shares *s)
{
	struct share_slot *slot, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->slots, slot, next) {
		HASH_DEL(s->slots, slot);
		free(slot);
	}
	free(s);
}

static struct share_slot *find_share(const struct shares *s, __u64 owner)
{
	struct share_slot *slot;

	HASH_FIND(hh, s->slots, &owner, sizeof(owner), slot);
	return slot;
}

const struct owner_share *shares_find(const struct shares *s, __u64 owner)
{
	const struct share_slot *slot = find_share(s, owner);

	return slot ? &slot->share : NULL;
}

__u32 shares_count(const struct shares *s, __u64 owner)
{
	const struct share_slot *slot = find_share(s, owner);

	return slot ? slot->share.count : 0;
}

const struct owner_share *shares_most(const struct shares *s)
{
	const struct share_slot *most = s->slots;

	for (const struct share_slot *at = s->slots; at; at = at->hh.next)
		if (at->share.line > most->share.line)
			most = at;
	return most ? &most->share : NULL;
}

unsigned int shares_owners(const struct shares *s)
{
	return HASH_COUNT(s->slots);
}

int shares_take(struct shares *s, __u64 owner, __u64 line, struct owner_share **ret)
{
	struct share_slot *slot = find_share(s, owner);

	if (!slot) {
		slot = calloc(1, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		slot->share.owner = owner;
		HASH_ADD(hh, s->slots, share.owner, sizeof(owner), slot);
		if (!slot->hh.tbl) {
			free(slot);
			return -ENOMEM;
		}
	}
	slot->share.count++;
	slot->share.line += line;
	*ret = &slot->share;
	return 0;
}

void shares_drop(struct shares *s, struct owner_share *share, __u64 line)
{
	struct share_slot *slot = find_share(s, share->owner);

	share->line -= line;
	if (--share->count)
		return;
	HASH_DEL(s->slots, slot);
	free(slot);
}
