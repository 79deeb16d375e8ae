// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native_shares.h"

#include <stddef.h>

#include "base/clock.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "names/shares.h"
#include "proc/owner.h"

#define OWNER_MS 1000 /* for so long the owner of a process is taken to be the same */

int native_shares_open(struct native_shares *s, struct natives *natives, struct texts *texts)
{
	struct shares *shares;
	int err = shares_new(&shares);

	if (!err)
		*s = (struct native_shares){ .natives = natives, .texts = texts, .shares = shares };
	return err;
}

void native_shares_close(struct native_shares *s)
{
	shares_free(s->shares);
	s->shares = NULL;
}

int native_shares_clear(struct native_shares *s)
{
	native_shares_close(s);
	return shares_new(&s->shares);
}

static __u64 owner(struct native_shares *s, pid_t pid)
{
	const __u64 now = clock_ms();

	if (s->asked.pid != pid || now >= s->asked.until_ms) {
		s->asked.pid = pid;
		s->asked.owner = owner_of(pid);
		s->asked.until_ms = now + OWNER_MS;
	}
	return s->asked.owner;
}

/* How many blocks more somebody may have who has so many. */
static __u32 may_have(__u64 has, __u32 left)
{
	const __u64 most = (__u64)NATIVE_SHARES_OF_LEFT * left;

	return most > has ? (most - has) / (NATIVE_SHARES_OF_LEFT + 1) : 0;
}

struct native_claim native_shares_claim(struct native_shares *s, pid_t pid)
{
	struct native_claim claim = { owner(s, pid), s->texts->used };
	const __u32 left = s->texts->count - claim.used;
	const struct owner_share *has = s->shares ? shares_find(s->shares, claim.owner) : NULL;

	s->texts->reserved = s->shares ? left - may_have(has ? has->line : 0, left) : 0;
	return claim;
}

void native_shares_settle(struct native_shares *s, const struct native_claim *claim)
{
	struct owner_share *share;

	s->texts->reserved = 0;
	if (s->shares && s->texts->used > claim->used) /* what there is no memory to note is nobody's */
		shares_take(s->shares, claim->owner, s->texts->used - claim->used, &share);
}

bool native_shares_are_one(const struct native_shares *s)
{
	return !s->shares || shares_owners(s->shares) <= 1;
}

void native_shares_refused(struct native_shares *s)
{
	natives_table_refused(s->natives);
	complain(&s->full,
		 "a user or container has its share of the table of native code: what it maps now is "
		 "[native not loaded yet] for a minute at most; --native-memory makes it larger");
}
