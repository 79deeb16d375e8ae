// SPDX-License-Identifier: GPL-2.0-only
#include "agent/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* uthash must report that memory is short, not exit: libraries never do. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct text {
	UT_hash_handle hh;
	bool used; /* while unused ones are looked for */
	char value[];
};

struct slot {
	struct registry_entry entry;
	UT_hash_handle hh;
};

struct registry {
	struct slot *slots;
	struct text *texts;
	size_t live;
	size_t forgotten; /* how many */
};

int registry_new(struct registry **ret)
{
	struct registry *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*ret = r;
	return 0;
}

void registry_free(struct registry *r)
{
	struct slot *s, *next_slot;
	struct text *t, *next_text;

	if (!r)
		return;
	HASH_ITER(hh, r->slots, s, next_slot) {
		HASH_DEL(r->slots, s);
		free(s);
	}
	HASH_ITER(hh, r->texts, t, next_text) {
		HASH_DEL(r->texts, t);
		free(t);
	}
	free(r);
}

/* One copy of each path: a thousand workers run the same interpreter. */
static const char *share(struct registry *r, const char *value)
{
	struct text *t;
	size_t length;

	if (!value || !*value)
		return "";
	HASH_FIND_STR(r->texts, value, t);
	if (t)
		return t->value;
	length = strlen(value);
	t = malloc(sizeof(*t) + length + 1);
	if (!t)
		return NULL;
	t->used = false;
	memcpy(t->value, value, length + 1);
	HASH_ADD(hh, r->texts, value, length, t);
	if (!t->hh.tbl) {
		free(t);
		return NULL;
	}
	return t->value;
}

int registry_add(struct registry *r, const struct registry_entry *e)
{
	const char *binary = share(r, e->binary), *build_id = share(r, e->build_id);
	struct slot *s;

	if (!binary || !build_id)
		return -ENOMEM;
	HASH_FIND(hh, r->slots, &e->id, sizeof(e->id), s);
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->entry.id = e->id;
		HASH_ADD(hh, r->slots, entry.id, sizeof(e->id), s);
		if (!s->hh.tbl) {
			free(s);
			return -ENOMEM;
		}
	} else if (!s->entry.ended) {
		r->live--;
	}
	s->entry = *e;
	s->entry.binary = binary;
	s->entry.build_id = build_id;
	s->entry.comm[sizeof(s->entry.comm) - 1] = '\0';
	r->live += !e->ended;
	return 0;
}

const struct registry_entry *registry_find(const struct registry *r, __u32 id)
{
	struct slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	return s ? &s->entry : NULL;
}

void registry_end(struct registry *r, __u32 id)
{
	struct slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	if (!s || s->entry.ended)
		return;
	s->entry.ended = true;
	r->live--;
}

static void mark_used(struct registry *r, const char *value)
{
	struct text *t;

	HASH_FIND_STR(r->texts, value, t);
	if (t)
		t->used = true;
}

static void forget_texts(struct registry *r)
{
	struct slot *s, *next_slot;
	struct text *t, *next_text;

	HASH_ITER(hh, r->slots, s, next_slot) {
		mark_used(r, s->entry.binary);
		mark_used(r, s->entry.build_id);
	}
	HASH_ITER(hh, r->texts, t, next_text) {
		if (t->used) {
			t->used = false;
			continue;
		}
		HASH_DEL(r->texts, t);
		free(t);
	}
}

void registry_forget(struct registry *r, bool (*is_over)(void *context, const struct registry_entry *e), void *context)
{
	struct slot *s, *next;

	HASH_ITER(hh, r->slots, s, next) {
		if (!is_over(context, &s->entry))
			continue;
		r->live -= !s->entry.ended;
		r->forgotten++;
		HASH_DEL(r->slots, s);
		free(s);
	}
	forget_texts(r);
}

size_t registry_held(const struct registry *r)
{
	return HASH_COUNT(r->slots);
}

size_t registry_count(const struct registry *r, size_t *ret_live)
{
	if (ret_live)
		*ret_live = r->live;
	return HASH_COUNT(r->slots) + r->forgotten;
}

int registry_each(const struct registry *r, int (*fn)(void *context, const struct registry_entry *e), void *context)
{
	for (const struct slot *s = r->slots; s; s = s->hh.next) {
		int result = fn(context, &s->entry);

		if (result)
			return result;
	}
	return 0;
}
