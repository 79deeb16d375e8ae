// SPDX-License-Identifier: GPL-2.0-only
#include "kern/refusals.h"

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/hash.h"

#define PAUSE_NS NS_PER_SECOND

static size_t slot_of(const struct refusals *r, __u64 user)
{
	return hash_bytes(&user, sizeof(user)) % ARRAY_SIZE(r->slots);
}

bool refusals_has(const struct refusals *r, __u64 user)
{
	const size_t at = slot_of(r, user);

	return r->slots[at].user == user && clock_ns() < r->slots[at].until;
}

void refusals_add(struct refusals *r, __u64 user)
{
	const size_t at = slot_of(r, user);

	r->slots[at].user = user;
	r->slots[at].until = clock_ns() + PAUSE_NS;
}
