// SPDX-License-Identifier: GPL-2.0-only
#include "profile/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Every label that samples can be selected by: its key, and where an owner has it. */
#define KEYS                               \
	NUMBER("pid", pid)                 \
	TEXT("comm", comm)                 \
	TEXT("container", container)       \
	TEXT("container_id", container_id) \
	TEXT("namespace", namespace)       \
	TEXT("pod", pod)                   \
	TEXT("pod_uid", pod_uid)

struct key {
	const char *name;
	size_t offset;
	bool is_number; /* else the id of a string */
};

static const struct key keys[] = {
#define NUMBER(name, field) { name, offsetof(struct profile_owner, field), true },
#define TEXT(name, field) { name, offsetof(struct profile_owner, field), false },
	KEYS
#undef NUMBER
#undef TEXT
};

_Static_assert(ARRAY_SIZE(keys) <= FILTER_KEYS_MAX, "a filter has too few values");

const char *profile_filter_keys(void)
{
#define NUMBER(name, field) ", " name
#define TEXT(name, field)   ", " name
	return KEYS;
#undef NUMBER
#undef TEXT
}

static int parse_number(const char *text, __u32 *ret)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n > 0x7fffffff)
		return -EINVAL;
	*ret = n;
	return 0;
}

int profile_filter_set(struct profile_filter *f, const char *key, const char *value)
{
	__u32 number;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].name, key))
			continue;
		if (*f->values[i] || !*value || strlen(value) >= FILTER_VALUE_MAX)
			return -EINVAL;
		if (keys[i].is_number && parse_number(value, &number))
			return -EINVAL;
		strcpy(f->values[i], value);
		return 0;
	}
	return -ENOENT;
}

bool profile_filter_is_empty(const struct profile_filter *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (*f->values[i])
			return false;
	return true;
}

static bool matches(const struct profile_filter *f, const struct profile *p, const struct profile_owner *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		__u32 field = *(const __u32 *)((const char *)o + keys[i].offset), wanted;

		if (!*f->values[i])
			continue;
		if (!keys[i].is_number && strcmp(profile_get_string(p, field), f->values[i]))
			return false;
		if (keys[i].is_number && (parse_number(f->values[i], &wanted) || field != wanted))
			return false;
	}
	return true;
}

struct copier {
	const struct profile *from;
	struct profile *to;
	__u32 *locations; /* new id by old id; 0 = not there yet */
	__u32 stack[PROFILE_FRAMES_MAX];
};

static int copy_location(struct copier *c, __u32 id)
{
	const struct profile_location *l = profile_get_location(c->from, id);
	const struct profile_function *f = profile_get_function(c->from, l->function);
	const struct profile_mapping *m = l->mapping ? profile_get_mapping(c->from, l->mapping) : NULL;
	__u32 function, mapping = 0;
	int err = 0;

	if (c->locations[id])
		return 0;
	if (m)
		err = profile_mapping(c->to, profile_get_string(c->from, m->file),
				      profile_get_string(c->from, m->build_id), &mapping);
	if (!err)
		err = profile_function(c->to, f->kind, profile_get_string(c->from, f->name),
				       profile_get_string(c->from, f->file), f->start_line, &function);
	return err ?: profile_location(c->to, function, l->line, l->column, mapping, &c->locations[id]);
}

static int copy_sample(struct copier *c, const struct profile_stack *s)
{
	struct profile_labels labels = profile_get_labels(c->from, s->owner);

	for (__u32 i = 0; i < s->n; i++) {
		int err = copy_location(c, s->locations[i]);

		if (err)
			return err;
		c->stack[i] = c->locations[s->locations[i]];
	}
	return profile_sample(c->to, c->stack, s->n, &labels, s->count);
}

static void free_copier(struct copier **c)
{
	if (!*c)
		return;
	profile_free((*c)->to);
	free((*c)->locations);
	free(*c);
}

int profile_filter_apply(const struct profile_filter *f, const struct profile *p, struct profile **ret)
{
	_cleanup_(free_copier) struct copier *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->from = p;
	c->locations = calloc((size_t)profile_count(p, PROFILE_LOCATION) + 1, sizeof(*c->locations));
	if (!c->locations)
		return -ENOMEM;
	err = profile_new(profile_get_info(p), &c->to);
	for (__u32 id = 1; !err && id <= profile_count(p, PROFILE_SAMPLE); id++) {
		struct profile_stack s = profile_get_sample(p, id);

		if (matches(f, p, profile_get_owner(p, s.owner)))
			err = copy_sample(c, &s);
	}
	if (!err)
		*ret = TAKE_PTR(c->to);
	return err;
}
