// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile.c - see profile.h. Every kind of record is a run of bytes that is looked up by its content, so one
 * table type serves all: uthash finds, an arena keeps. It trusts no string and no id.
 */
#include "profile/profile.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/profile_records.h"

#define CHUNK_BYTES (64 * 1024) /* of the arena: big enough that malloc's own overhead vanishes */

static void *arena_alloc(struct profile *p, size_t size)
{
	struct chunk *c = p->chunks;
	size_t chunk_size;

	size = (size + 7) & ~(size_t)7;
	if (!c || c->size - c->used < size) {
		chunk_size = CHUNK_BYTES - sizeof(*c) > size ? CHUNK_BYTES - sizeof(*c) : size;
		c = malloc(sizeof(*c) + chunk_size);
		if (!c)
			return NULL;
		c->next = p->chunks;
		c->used = 0;
		c->size = chunk_size;
		p->chunks = c;
		p->bytes += sizeof(*c) + chunk_size;
	}
	c->used += size;
	return c->data + c->used - size;
}

static int grow(void **array, size_t item, __u32 *capacity, __u32 wanted)
{
	__u32 more = *capacity < 64 ? 64 : *capacity + *capacity / 2;
	void *grown;

	if (wanted <= *capacity)
		return 0;
	if (*capacity >= INT_MAX)
		return -ENOMEM;
	grown = reallocarray(*array, more, item);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = more;
	return 0;
}

static int table_intern(struct profile *p, enum profile_kind kind, const void *record, size_t size,
			__u32 *ret_id)
{
	struct profile_table *t = &p->tables[kind];
	unsigned int hash = hash_bytes(record, size);
	struct entry *e;

	HASH_FIND_BYHASHVALUE(hh, t->by_content, record, size, hash, e);
	if (e) {
		*ret_id = e->id;
		return 0;
	}
	if (grow((void **)&t->by_id, sizeof(*t->by_id), &t->capacity, t->n + 1))
		return -ENOMEM;
	e = arena_alloc(p, sizeof(*e) + size);
	if (!e)
		return -ENOMEM;
	e->id = t->n + 1;
	e->size = size;
	memcpy(e->record, record, size);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, t->by_content, e->record, size, hash, e);
	if (!e->hh.tbl)
		return -ENOMEM;
	t->by_id[t->n++] = e;
	*ret_id = e->id;
	return 0;
}

static struct met_text *met_slot(struct profile *p, const char *s)
{
	/* 2^64 divided by the golden ratio: what stands close together is far apart then */
	return &p->met[(__u64)(uintptr_t)s * 0x9e3779b97f4a7c15ULL >> (64 - MET_BITS)];
}

/*
 * The labels of samples are the same texts again and again. So one is compared with what its address led to
 * before, which is less than to make it valid and to look it up. What is not valid, or is cut, never is equal
 * to that.
 */
static int intern_text(struct profile *p, const char *s, __u32 *ret_id)
{
	struct met_text *met = met_slot(p, s);
	int err;

	if (!s || !*s) {
		*ret_id = 0;
		return 0;
	}
	if (met->text == s && !strcmp(s, profile_get_string(p, met->id))) {
		*ret_id = met->id;
		return 0;
	}
	buf_clear(&p->scratch);
	err = buf_add_utf8(&p->scratch, s, PROFILE_STRING_MAX) ?: buf_add(&p->scratch, "", 1);
	err = err ?: table_intern(p, PROFILE_STRING, p->scratch.data, p->scratch.size, ret_id);
	if (!err)
		*met = (struct met_text){ s, *ret_id };
	return err;
}

int profile_mapping(struct profile *p, const char *file, const char *build_id, __u32 *ret_id)
{
	struct profile_mapping m = { 0 };

	return intern_text(p, file, &m.file) ?: intern_text(p, build_id, &m.build_id) ?:
	       table_intern(p, PROFILE_MAPPING, &m, sizeof(m), ret_id);
}

int profile_mapping_native(struct profile *p, const char *file, const char *build_id, const __u64 *shift,
			   __u32 *ret_id)
{
	struct profile_mapping m = { .is_native = 1, .is_even = shift != NULL, .shift = shift ? *shift : 0 };

	return intern_text(p, file, &m.file) ?: intern_text(p, build_id, &m.build_id) ?:
	       table_intern(p, PROFILE_MAPPING, &m, sizeof(m), ret_id);
}

int profile_function(struct profile *p, enum frame_kind kind, const char *name, const char *file,
		     int start_line, __u32 *ret_id)
{
	struct profile_function f = { .start_line = start_line, .kind = kind };

	if (start_line < 0 || kind >= FRAME_KINDS)
		return -EINVAL;
	return intern_text(p, name, &f.name) ?: intern_text(p, file, &f.file) ?:
	       table_intern(p, PROFILE_FUNCTION, &f, sizeof(f), ret_id);
}

static int intern_location(struct profile *p, const struct profile_location *l, __u32 *ret_id)
{
	if (!l->function || l->function > p->tables[PROFILE_FUNCTION].n ||
	    l->mapping > p->tables[PROFILE_MAPPING].n || l->around > p->tables[PROFILE_LOCATION].n)
		return -EINVAL;
	return table_intern(p, PROFILE_LOCATION, l, sizeof(*l), ret_id);
}

int profile_location(struct profile *p, __u32 function, int line, int column, __u32 mapping, __u32 *ret_id)
{
	struct profile_location l = { function, line, column, mapping, 0, 0 };

	return line < 0 || column < 0 ? -EINVAL : intern_location(p, &l, ret_id);
}

int profile_location_native(struct profile *p, __u32 function, __u32 mapping, __u32 offset, __u32 *ret_id)
{
	struct profile_location l = { .function = function, .mapping = mapping, .offset = offset };

	return intern_location(p, &l, ret_id);
}

int profile_location_line(struct profile *p, __u32 function, int line, __u32 mapping, __u32 offset,
			  __u32 around, __u32 *ret_id)
{
	struct profile_location l = { function, line, 0, mapping, offset, around };

	return line < 0 ? -EINVAL : intern_location(p, &l, ret_id);
}

static int intern_number(struct profile *p, __u32 value, __u32 *ret)
{
	(void)p;
	*ret = value;
	return 0;
}

static const size_t label_fields[LABEL_COUNT] = {
#define LABEL(key, kind, ...) [LABEL_##key] = offsetof(struct profile_labels, key),
#include "profile/labels.def"
#undef LABEL
};

void profile_labels_set(struct profile_labels *l, enum label label, const char *text)
{
	memcpy((char *)l + label_fields[label], &text, sizeof(text));
}

void profile_labels_set_number(struct profile_labels *l, enum label label, label_number number)
{
	memcpy((char *)l + label_fields[label], &number, sizeof(number));
}

static int owner_intern(struct profile *p, const struct profile_labels *labels, __u32 *ret_id)
{
	size_t size = offsetof(struct profile_owner, extra[p->info.extra_count]);
	struct profile_owner o;
	int err = 0;

	memset(&o, 0, sizeof(o)); /* all bytes are compared */
	o.began_boot_ns = labels->began_boot_ns;
	o.user = labels->user;

#define LABEL(key, kind, ...) err = err ?: intern_##kind(p, labels->key, &o.key);
#include "profile/labels.def"
#undef LABEL
	for (__u32 i = 0; i < p->info.extra_count && !err; i++)
		err = intern_text(p, labels->extra[i], &o.extra[i]);
	if (!err && p->last_owner_id && !memcmp(&o, &p->last_owner, size)) {
		*ret_id = p->last_owner_id;
		return 0;
	}
	err = err ?: table_intern(p, PROFILE_OWNER, &o, size, ret_id);
	if (!err) {
		p->last_owner = o;
		p->last_owner_id = *ret_id;
	}
	return err;
}

static bool is_of(const struct profile *p, enum event_kind kind)
{
	if (kind == PROFILE_TIME)
		return p->info.timed && p->info.events & EVENT_BIT(EVENT_CPU);
	return kind < EVENT_KINDS && p->info.events & EVENT_BIT(kind);
}

static __u64 add_saturated(__u64 a, __u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

int profile_sample(struct profile *p, enum event_kind kind, const __u32 *locations, size_t n,
		   const struct profile_labels *labels, __u64 count)
{
	return profile_sample_booked(p, kind, locations, n, labels, count, count);
}

int profile_sample_booked(struct profile *p, enum event_kind kind, const __u32 *locations, size_t n,
			  const struct profile_labels *labels, __u64 count, __u64 booked)
{
	struct profile_table *t = &p->tables[PROFILE_SAMPLE];
	__u32 owner, id, known = t->n;
	int err;

	if (!n || n > PROFILE_FRAMES_MAX || !is_of(p, kind))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!locations[i] || locations[i] > p->tables[PROFILE_LOCATION].n)
			return -EINVAL;
	if (!count) {
		p->booked[kind] = add_saturated(p->booked[kind], booked);
		return 0;
	}
	err = owner_intern(p, labels, &owner);
	if (err)
		return err;
	if (grow((void **)&p->counts, sizeof(*p->counts), &p->counts_capacity, known + 1))
		return -ENOMEM;
	buf_clear(&p->scratch);
	err = buf_add(&p->scratch, &owner, sizeof(owner)) ?:
	      buf_add(&p->scratch, locations, n * sizeof(*locations)) ?:
	      table_intern(p, PROFILE_SAMPLE, p->scratch.data, p->scratch.size, &id);
	if (err)
		return err;
	if (t->n > known)
		memset(p->counts[id - 1], 0, sizeof(p->counts[id - 1]));
	p->last_sample = id;
	p->counts[id - 1][kind] = add_saturated(p->counts[id - 1][kind], count);
	p->total[kind] = add_saturated(p->total[kind], count);
	p->booked[kind] = add_saturated(p->booked[kind], booked);
	return 0;
}

int profile_account(struct profile *p, const struct profile_labels *labels, __u64 ns)
{
	__u32 owner, known = p->account_count;
	int err = owner_intern(p, labels, &owner);

	if (err)
		return err;
	while (p->accounts_capacity < owner)
		if (grow((void **)&p->accounts, sizeof(*p->accounts), &p->accounts_capacity, owner))
			return -ENOMEM;
	for (; known < owner; known++)
		p->accounts[known] = 0;
	p->account_count = known;
	p->accounts[owner - 1] = add_saturated(p->accounts[owner - 1], ns);
	return 0;
}

int profile_new(const struct profile_info *info, struct profile **ret)
{
	struct profile *p;

	if (!info->events || info->events & ~EVENTS_ALL)
		return -EINVAL;
	if (info->period_ns <= 0 || info->extra_count > PROFILE_EXTRA_MAX)
		return -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->info = *info;
	*ret = p;
	return 0;
}

void profile_free(struct profile *p)
{
	struct chunk *c, *next;

	if (!p)
		return;
	for (int i = 0; i < PROFILE_KINDS; i++) {
		/* Frees the hash's own tables only; the entries are the arena's. */
		HASH_CLEAR(hh, p->tables[i].by_content);
		free(p->tables[i].by_id);
	}
	for (c = p->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(p->counts);
	free(p->accounts);
	moments_free(&p->moments);
	buf_free(&p->scratch);
	free(p);
}

int profile_set_info(struct profile *p, const struct profile_info *info)
{
	struct profile_info old = p->info;

	if (info->period_ns <= 0)
		return -EINVAL;
	p->info = *info;
	p->info.events = old.events;
	p->info.timed = old.timed;
	memcpy(p->info.extra, old.extra, sizeof(old.extra));
	p->info.extra_count = old.extra_count;
	p->info.extra_in_series = old.extra_in_series;
	return 0;
}
