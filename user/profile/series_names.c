// SPDX-License-Identifier: GPL-2.0-only
#include "profile/series_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

struct series_user {
	__u64 user;
	double room, when; /* new series that it may have, as of then */
	__u32 count;	   /* that it has */
	UT_hash_handle hh;
};

struct series_name {
	struct {
		__u64 user, hash;
	} key;
	struct series_user *of;
	double when; /* that of the last interval that had it */
	UT_hash_handle hh;
};

struct series_names {
	struct series_name *names;
	struct series_user *users;
	double now;
	__u64 left;
};

int series_names_new(struct series_names **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

static void remove_name(struct series_names *s, struct series_name *n)
{
	n->of->count--;
	HASH_DEL(s->names, n);
	free(n);
}

static void remove_user(struct series_names *s, struct series_user *u)
{
	HASH_DEL(s->users, u);
	free(u);
}

void series_names_free(struct series_names *s)
{
	struct series_name *n, *next;
	struct series_user *u, *next_user;

	if (!s)
		return;
	HASH_ITER(hh, s->names, n, next)
		remove_name(s, n);
	HASH_ITER(hh, s->users, u, next_user)
		remove_user(s, u);
	free(s);
}

static void fill(struct series_user *u, double now)
{
	u->room += (now - u->when) / SERIES_NEXT_SECONDS;
	if (u->room > SERIES_AT_ONCE)
		u->room = SERIES_AT_ONCE;
	u->when = now;
}

/* A user that has nothing, and may have as much as one that never was here, need not be known. */
void series_names_begin(struct series_names *s, double now)
{
	struct series_name *n, *next;
	struct series_user *u, *next_user;

	s->now = now;
	HASH_ITER(hh, s->names, n, next)
		if (now - n->when > SERIES_KEPT_SECONDS)
			remove_name(s, n);
	HASH_ITER(hh, s->users, u, next_user) {
		fill(u, now);
		if (!u->count && u->room >= SERIES_AT_ONCE)
			remove_user(s, u);
	}
}

static struct series_user *get_user(struct series_names *s, __u64 user)
{
	struct series_user *u;

	HASH_FIND(hh, s->users, &user, sizeof(user), u);
	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	*u = (struct series_user){ .user = user, .room = SERIES_AT_ONCE, .when = s->now };
	HASH_ADD(hh, s->users, user, sizeof(user), u);
	if (u->hh.tbl)
		return u;
	free(u);
	return NULL;
}

static bool add_series_name(struct series_names *s, struct series_user *u, __u64 hash)
{
	struct series_name *n = calloc(1, sizeof(*n));

	if (!n)
		return false;
	n->key.user = u->user;
	n->key.hash = hash;
	n->of = u;
	n->when = s->now;
	HASH_ADD(hh, s->names, key, sizeof(n->key), n);
	if (!n->hh.tbl) {
		free(n);
		return false;
	}
	u->count++;
	u->room--;
	return true;
}

/* The oldest of the user who has most. It is a new one then, if it comes again. */
static void make_room(struct series_names *s)
{
	const struct series_user *most = s->users;
	struct series_name *n = s->names;

	for (const struct series_user *u = s->users; u; u = u->hh.next)
		if (u->count > most->count)
			most = u;
	while (n->of != most)
		n = n->hh.next;
	remove_name(s, n);
}

bool series_names_take(struct series_names *s, __u64 user, __u64 hash)
{
	const __u64 key[] = { user, hash };
	struct series_user *u;
	struct series_name *n;

	HASH_FIND(hh, s->names, key, sizeof(key), n);
	if (n) {
		n->when = s->now;
		return true;
	}
	u = get_user(s, user);
	if (!u || u->room < 1)
		return false;
	if (HASH_COUNT(s->names) >= SERIES_NAMES_MAX)
		make_room(s);
	return add_series_name(s, u, hash);
}

void series_names_leave(struct series_names *s, __u64 count)
{
	s->left += count;
}

__u64 series_names_left(const struct series_names *s)
{
	return s->left;
}
