// SPDX-License-Identifier: GPL-2.0-only
#include "targets/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "targets/quotas.h"
#include "targets/unlooked.h"

struct shared_text {
	UT_hash_handle hh;
	size_t users;
	char value[];
};

struct registry_slot {
	struct registry_entry entry;
	UT_hash_handle hh;
};

struct registry {
	struct registry_slot *slots;
	struct shared_text *texts;
	size_t live;
	size_t forgotten; /* how many */
	__u64 changes;
	struct unlooked unlooked;
	struct quotas quotas;
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
	struct registry_slot *s, *next_slot;
	struct shared_text *t, *next_text;

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
	unlooked_free(&r->unlooked);
	free(r);
}

struct unlooked *registry_unlooked(struct registry *r)
{
	return &r->unlooked;
}

void registry_meet_quota(struct registry *r, __u32 pid, const struct cpu_quota *read)
{
	quotas_meet(&r->quotas, pid, read);
}

const struct quotas *registry_quotas(const struct registry *r)
{
	return &r->quotas;
}

size_t registry_count_unlooked(const struct registry *r)
{
	return unlooked_count(&r->unlooked, clock_ns());
}

size_t registry_whose_unlooked(const struct registry *r, char *ret)
{
	return unlooked_whose(&r->unlooked, clock_ns(), ret);
}

#define STRINGS (2 + LABEL_COUNT) /* of an entry */

static const char **string_of(struct registry_entry *e, size_t i)
{
	return i == 0 ? &e->binary : i == 1 ? &e->build_id : &e->label[i - 2];
}

/* One copy of each: a thousand workers run the same interpreter, in one container. */
static const char *share(struct registry *r, const char *value)
{
	struct shared_text *t;
	size_t length;

	if (!value || !*value)
		return "";
	HASH_FIND_STR(r->texts, value, t);
	if (t) {
		t->users++;
		return t->value;
	}
	length = strlen(value);
	t = malloc(sizeof(*t) + length + 1);
	if (!t)
		return NULL;
	t->users = 1;
	memcpy(t->value, value, length + 1);
	HASH_ADD(hh, r->texts, value, length, t);
	if (!t->hh.tbl) {
		free(t);
		return NULL;
	}
	return t->value;
}

static void unshare(struct registry *r, const char *value)
{
	struct shared_text *t;

	if (!value || !*value)
		return;
	HASH_FIND_STR(r->texts, value, t);
	if (!t || --t->users)
		return;
	HASH_DEL(r->texts, t);
	free(t);
}

static void unshare_strings(struct registry *r, struct registry_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unshare(r, *string_of(e, i));
}

static int share_strings(struct registry *r, struct registry_entry *e)
{
	for (size_t i = 0; i < STRINGS; i++) {
		const char *shared = share(r, *string_of(e, i));

		if (!shared) {
			unshare_strings(r, e, i);
			return -ENOMEM;
		}
		*string_of(e, i) = shared;
	}
	return 0;
}

/* The entry of this id, or a new and empty one. */
static struct registry_slot *get_slot(struct registry *r, __u32 id)
{
	struct registry_slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->entry.id = id;
	s->entry.ended = true;
	HASH_ADD(hh, r->slots, entry.id, sizeof(id), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

int registry_add(struct registry *r, const struct registry_entry *e)
{
	struct registry_entry copy = *e;
	struct registry_slot *s;

	if (share_strings(r, &copy))
		return -ENOMEM;
	s = get_slot(r, e->id);
	if (!s) {
		unshare_strings(r, &copy, STRINGS);
		return -ENOMEM;
	}
	r->live -= !s->entry.ended;
	r->changes += s->entry.ended != e->ended || s->entry.layout != e->layout;
	unshare_strings(r, &s->entry, STRINGS);
	s->entry = copy;
	s->entry.comm[sizeof(s->entry.comm) - 1] = '\0';
	r->live += !e->ended;
	return 0;
}

const struct registry_entry *registry_find(const struct registry *r, __u32 id)
{
	struct registry_slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	return s ? &s->entry : NULL;
}

void registry_end(struct registry *r, __u32 id)
{
	struct registry_slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	if (!s || s->entry.ended)
		return;
	s->entry.ended = true;
	r->live--;
	r->changes++;
}

void registry_forget(struct registry *r, bool (*may_go)(void *context, struct registry_entry *e),
		     void *context)
{
	struct registry_slot *s, *next;

	HASH_ITER(hh, r->slots, s, next) {
		if (!may_go(context, &s->entry))
			continue;
		r->live -= !s->entry.ended;
		r->forgotten++;
		r->changes++;
		unshare_strings(r, &s->entry, STRINGS);
		HASH_DEL(r->slots, s);
		free(s);
	}
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

__u64 registry_changes(const struct registry *r)
{
	return r->changes;
}

const struct registry_entry *registry_after(const struct registry *r, __u32 id)
{
	const struct registry_slot *s;

	HASH_FIND(hh, r->slots, &id, sizeof(id), s);
	s = s && s->hh.next ? s->hh.next : r->slots;
	return s ? &s->entry : NULL;
}

int registry_each(const struct registry *r, int (*fn)(void *context, const struct registry_entry *e),
		  void *context)
{
	for (const struct registry_slot *s = r->slots; s; s = s->hh.next) {
		int result = fn(context, &s->entry);

		if (result)
			return result;
	}
	return 0;
}
