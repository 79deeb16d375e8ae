// SPDX-License-Identifier: GPL-2.0-only
#include "names/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define PARENTS_MAX 32 /* spans within which one began that are asked in turn */

struct text {
	UT_hash_handle hh;
	char route[];
};

struct span {
	struct route_key key;
	const struct text *text; /* NULL: it has no route of its own */
	__u64 parent;
	__u64 met; /* CLOCK_MONOTONIC, ns */
	UT_hash_handle hh;
};

struct routes {
	__u64 keep_ns;
	struct text *texts;
	struct span *spans; /* in the order in which they were met */
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

static void forget_span(struct routes *r, struct span *s)
{
	HASH_DEL(r->spans, s);
	free(s);
}

void routes_free(struct routes *r)
{
	struct text *text, *next;

	if (!r)
		return;
	while (r->spans)
		forget_span(r, r->spans);
	HASH_ITER(hh, r->texts, text, next) {
		HASH_DEL(r->texts, text);
		free(text);
	}
	free(r);
}

static int find_text(struct routes *r, const char *route, const struct text **ret)
{
	const size_t length = strlen(route);
	struct text *text;

	HASH_FIND(hh, r->texts, route, length, text);
	if (!text) {
		if (HASH_COUNT(r->texts) == ROUTES_TEXTS_MAX)
			return -ENOSPC;
		text = calloc(1, sizeof(*text) + length + 1);
		if (!text)
			return -ENOMEM;
		memcpy(text->route, route, length);
		HASH_ADD(hh, r->texts, route, length, text);
		if (!text->hh.tbl) {
			free(text);
			return -ENOMEM;
		}
	}
	*ret = text;
	return 0;
}

static struct span *find_span(const struct routes *r, const struct route_key *key)
{
	struct span *s;

	HASH_FIND(hh, r->spans, key, sizeof(*key), s);
	return s;
}

static struct span *add_span(struct routes *r, const struct route_key *key)
{
	struct span *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (HASH_COUNT(r->spans) == ROUTES_SPANS_MAX)
		forget_span(r, r->spans);
	s->key = *key;
	HASH_ADD(hh, r->spans, key, sizeof(*key), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

int routes_set(struct routes *r, const struct route_key *key, const char *route, __u64 parent, __u64 now)
{
	const struct text *text = NULL;
	struct span *s;
	int err = route ? find_text(r, route, &text) : 0;

	if (err)
		return err;
	s = find_span(r, key) ?: add_span(r, key);
	if (!s)
		return -ENOMEM;
	s->text = text ?: s->text;
	s->parent = parent;
	s->met = now;
	return 0;
}

const char *routes_find(const struct routes *r, const struct route_key *key)
{
	struct route_key at = *key;

	for (int i = 0; i < PARENTS_MAX; i++) {
		const struct span *s = find_span(r, &at);

		if (!s)
			return NULL;
		if (s->text)
			return s->text->route;
		at.ids.span = s->parent;
	}
	return NULL;
}

void routes_forget(struct routes *r, __u64 now)
{
	while (r->spans && r->spans->met + r->keep_ns < now)
		forget_span(r, r->spans);
}

size_t routes_spans(const struct routes *r)
{
	return HASH_COUNT(r->spans);
}

struct route_counts *routes_count(struct routes *r)
{
	return &r->counts;
}

struct route_counts routes_counts(const struct routes *r)
{
	return r->counts;
}
