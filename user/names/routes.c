// SPDX-License-Identifier: GPL-2.0-only
#include "names/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "base/cleanup.h"
#include "base/hash.h"

#define PARENTS_MAX 32 /* spans within which one began that are asked in turn */

struct route_text {
	UT_hash_handle hh;
	__u32 spans; /* that have it */
	char route[];
};

struct span_route {
	struct route_key key;
	struct route_user *user;
	struct route_text *text; /* the user's; NULL: it has no route of its own */
	__u64 parent;
	__u64 met;			/* CLOCK_MONOTONIC, ns */
	struct span_route *prev, *next; /* of the user's */
	UT_hash_handle hh;
};

/* Whoever has a span. Texts are its own: how long they stay is nobody else's affair. */
struct route_user {
	__u64 number;
	struct route_text *texts;
	struct span_route *spans; /* in the order in which they were met */
	__u32 count;
	UT_hash_handle hh;
};

struct routes {
	__u64 keep_ns;
	struct route_user *users;
	struct span_route *spans;
	size_t texts; /* of all users */
	struct route_counts counts;
};

int routes_new(struct routes **ret, __u64 keep_ns)
{
	struct routes *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->keep_ns = keep_ns;
	*ret = r;
	return 0;
}

static void release_text(struct routes *r, struct route_user *u, struct route_text *text)
{
	if (!text || --text->spans)
		return;
	HASH_DEL(u->texts, text);
	free(text);
	r->texts--;
}

static void forget_user_without_spans(struct routes *r, struct route_user *u)
{
	if (u->spans)
		return;
	HASH_DEL(r->users, u);
	free(u);
}

static void forget_span(struct routes *r, struct span_route *s)
{
	struct route_user *u = s->user;

	HASH_DEL(r->spans, s);
	DL_DELETE(u->spans, s);
	u->count--;
	release_text(r, u, s->text);
	free(s);
	forget_user_without_spans(r, u);
}

void routes_free(struct routes *r)
{
	if (!r)
		return;
	while (r->spans)
		forget_span(r, r->spans);
	free(r);
}

/* The text of a user, for one span more. */
static struct route_text *hold_text(struct routes *r, struct route_user *u, const char *route)
{
	const size_t length = strlen(route);
	struct route_text *text;

	HASH_FIND(hh, u->texts, route, length, text);
	if (!text) {
		text = calloc(1, sizeof(*text) + length + 1);
		if (!text)
			return NULL;
		memcpy(text->route, route, length);
		HASH_ADD(hh, u->texts, route, length, text);
		if (!text->hh.tbl) {
			free(text);
			return NULL;
		}
		r->texts++;
	}
	text->spans++;
	return text;
}

static struct span_route *find_span(const struct routes *r, const struct route_key *key)
{
	struct span_route *s;

	HASH_FIND(hh, r->spans, key, sizeof(*key), s);
	return s;
}

static struct route_user *find_user(const struct routes *r, __u64 number)
{
	struct route_user *u;

	HASH_FIND(hh, r->users, &number, sizeof(number), u);
	return u;
}

/* Of users who have as many it is the one who asks. */
static void make_room(struct routes *r, __u64 number)
{
	struct route_user *most = find_user(r, number) ?: r->users;

	for (struct route_user *u = r->users; u; u = u->hh.next)
		if (u->count > most->count)
			most = u;
	forget_span(r, most->spans);
	r->counts.forgotten++;
}

/* A user who has no span yet gets one next, or is to be forgotten. */
static struct route_user *make_user(struct routes *r, __u64 number)
{
	struct route_user *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->number = number;
	HASH_ADD(hh, r->users, number, sizeof(number), u);
	if (u->hh.tbl)
		return u;
	free(u);
	return NULL;
}

static struct span_route *make_span(struct routes *r, const struct route_key *key, struct route_user *u)
{
	struct span_route *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->key = *key;
	s->user = u;
	HASH_ADD(hh, r->spans, key, sizeof(*key), s);
	if (s->hh.tbl) {
		DL_APPEND(u->spans, s);
		u->count++;
		return s;
	}
	free(s);
	return NULL;
}

static struct span_route *add_span(struct routes *r, const struct route_key *key, __u64 number)
{
	struct span_route *s = NULL;
	struct route_user *u;

	if (HASH_COUNT(r->spans) == ROUTES_SPANS_MAX)
		make_room(r, number);
	u = find_user(r, number) ?: make_user(r, number);
	if (u) {
		s = make_span(r, key, u);
		forget_user_without_spans(r, u);
	}
	return s;
}

/* It is the user's youngest then. */
static void note(struct span_route *s, const struct route_met *met)
{
	DL_DELETE(s->user->spans, s);
	DL_APPEND(s->user->spans, s);
	s->parent = met->parent;
	s->met = met->now;
}

int routes_set(struct routes *r, const struct route_key *key, const struct route_met *met)
{
	struct span_route *s = find_span(r, key) ?: add_span(r, key, met->user);
	struct route_text *text;

	if (!s)
		return -ENOMEM;
	note(s, met);
	if (!met->route)
		return 0;
	text = hold_text(r, s->user, met->route);
	if (!text)
		return -ENOMEM;
	release_text(r, s->user, s->text);
	s->text = text;
	return 0;
}

const char *routes_find(const struct routes *r, const struct route_key *key)
{
	struct route_key at = *key;

	for (int i = 0; i < PARENTS_MAX; i++) {
		const struct span_route *s = find_span(r, &at);

		if (!s)
			return NULL;
		if (s->text)
			return s->text->route;
		at.ids.span = s->parent;
	}
	return NULL;
}

static void forget_old_spans(struct routes *r, struct route_user *u, __u64 now)
{
	struct span_route *next;

	for (struct span_route *s = u->spans; s && s->met + r->keep_ns < now; s = next) {
		next = s->next; /* without one the user goes, too */
		forget_span(r, s);
	}
}

void routes_forget(struct routes *r, __u64 now)
{
	struct route_user *u, *next;

	HASH_ITER(hh, r->users, u, next)
		forget_old_spans(r, u, now);
}

size_t routes_spans(const struct routes *r)
{
	return HASH_COUNT(r->spans);
}

size_t routes_texts(const struct routes *r)
{
	return r->texts;
}

struct route_counts *routes_count(struct routes *r)
{
	return &r->counts;
}

struct route_counts routes_counts(const struct routes *r)
{
	return r->counts;
}
