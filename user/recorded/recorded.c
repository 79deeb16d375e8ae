// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/recorded.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recorded_free(struct recorded *r)
{
	interned_free(&r->strings);
	interned_free(&r->functions);
	interned_free(&r->mappings);
	interned_free(&r->places);
	interned_free(&r->owners);
	interned_free(&r->stacks);
	recorded_growths_free(&r->growths);
	free(r->values);
	buf_free(&r->moments);
	buf_free(&r->scratch);
	*r = (struct recorded){ 0 };
}

__s64 recorded_sum(__s64 a, __s64 b)
{
	__s64 sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* A text ends at its first NUL, which no name has. */
int recorded_string(struct recorded *r, const void *text, size_t size, __u32 *ret)
{
	_cleanup_free_ char *copy = NULL;
	int err;

	if (size > RECORDED_STRING_MAX)
		size = RECORDED_STRING_MAX;
	if (!size || !*(const char *)text) {
		*ret = 0;
		return 0;
	}
	copy = strndup(text, size);
	if (!copy)
		return -ENOMEM;
	buf_clear(&r->scratch);
	err = buf_add_utf8(&r->scratch, copy, RECORDED_STRING_MAX);
	return err ?: interned_add(&r->strings, r->scratch.data, r->scratch.size, ret);
}

int recorded_function(struct recorded *r, const struct recorded_function *f, __u32 *ret)
{
	return interned_add(&r->functions, f, sizeof(*f), ret);
}

int recorded_mapping(struct recorded *r, const struct recorded_mapping *m, __u32 *ret)
{
	return interned_add(&r->mappings, m, sizeof(*m), ret);
}

int recorded_place(struct recorded *r, const struct recorded_place *p, __u32 *ret)
{
	return interned_add(&r->places, p, sizeof(*p), ret);
}

static int by_key(const void *a, const void *b)
{
	const struct recorded_label *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int grow_values(struct recorded *r, size_t stacks)
{
	const size_t wanted = stacks * r->type_count;
	const size_t capacity = r->values_capacity * 2 > wanted ? r->values_capacity * 2 : wanted;
	__s64 *values;

	if (wanted <= r->values_capacity)
		return 0;
	values = realloc(r->values, capacity * sizeof(*values));
	if (!values)
		return -ENOMEM;
	r->values = values;
	r->values_capacity = capacity;
	return 0;
}

int recorded_add(struct recorded *r, const __u32 *places, size_t n, struct recorded_label *labels,
		 size_t label_count, const __s64 *values)
{
	const __u32 known = r->stacks.count;
	struct recorded_label none;
	__u32 owner, id;
	__s64 *sums;
	int err;

	if (n > RECORDED_STACK_MAX || r->frames + n > RECORDED_FRAMES_MAX)
		return -E2BIG;
	labels = label_count ? labels : &none; /* there may be no memory for none */
	qsort(labels, label_count, sizeof(*labels), by_key);
	err = interned_add(&r->owners, labels, label_count * sizeof(*labels), &owner) ?:
	      grow_values(r, (size_t)known + 1);
	if (err)
		return err;
	buf_clear(&r->scratch);
	err = buf_add(&r->scratch, &owner, sizeof(owner)) ?:
	      buf_add(&r->scratch, places, n * sizeof(*places)) ?:
	      interned_add(&r->stacks, r->scratch.data, r->scratch.size, &id);
	if (err)
		return err;
	sums = r->values + (size_t)(id - 1) * r->type_count;
	if (id > known) {
		memset(sums, 0, r->type_count * sizeof(*sums));
		r->frames += n;
	}
	for (size_t i = 0; i < r->type_count; i++)
		sums[i] = recorded_sum(sums[i], values[i]);
	r->last = id;
	return 0;
}

/* The values of each stack that is there get one more, which is 0. */
static int widen_values(struct recorded *r)
{
	const size_t stacks = r->stacks.count, from = r->type_count, to = from + 1;
	__s64 *values = calloc(stacks * to + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < stacks && from; i++)
		memcpy(values + i * to, r->values + i * from, from * sizeof(*values));
	free(r->values);
	r->values = values;
	r->values_capacity = stacks * to + 1;
	return 0;
}

int recorded_type(struct recorded *r, const struct recorded_type *type, size_t *ret)
{
	size_t i = 0;
	int err;

	while (i < r->type_count && (r->types[i].type != type->type || r->types[i].unit != type->unit))
		i++;
	if (i == RECORDED_TYPES_MAX)
		return -E2BIG;
	if (i == r->type_count) {
		err = r->stacks.count ? widen_values(r) : 0;
		if (err)
			return err;
		r->types[r->type_count++] = *type;
	}
	*ret = i;
	return 0;
}

int recorded_find_type(const struct recorded *r, const char *type, const char *unit)
{
	for (size_t i = 0; i < r->type_count; i++)
		if (!strcmp(recorded_get_string(r, r->types[i].type), type) &&
		    !strcmp(recorded_get_string(r, r->types[i].unit), unit))
			return (int)i;
	return -1;
}

int recorded_add_moment(struct recorded *r, const struct recorded_moment *m)
{
	if (r->moments.size / sizeof(*m) == RECORDED_MOMENTS_MAX)
		return -E2BIG;
	return buf_add(&r->moments, m, sizeof(*m));
}

/* As formats/pprof_header.c writes them. */
static void add_losses(struct recorded *r, const char *comment)
{
	unsigned long long came, wanted;
	int end = 0;

	if (sscanf(comment, "%llu of %llu ticks came%n", &came, &wanted, &end) == 2 && end) {
		r->ticks_came += came;
		r->ticks_wanted += wanted;
	}
	end = 0;
	if (sscanf(comment, "%llu processes could not be looked at%n", &came, &end) == 1 && end &&
	    came > r->unlooked)
		r->unlooked = came;
	end = 0;
	if (sscanf(comment, "%llu ticks of programs that had only begun%n", &came, &end) == 1 && end)
		r->unanalysed += came;
	end = 0;
	if (sscanf(comment, "%llu ticks of processes that may not be read%n", &came, &end) == 1 && end)
		r->forbidden += came;
}

void recorded_comment(struct recorded *r, __u32 string)
{
	add_losses(r, recorded_get_string(r, string));
	recorded_quotas_comment(&r->quotas, recorded_get_string(r, string));
	if (recorded_starts_comment(&r->starts, recorded_get_string(r, string)))
		return;
	if (!string || r->comment_count == RECORDED_COMMENTS_MAX)
		return;
	for (size_t i = 0; i < r->comment_count; i++)
		if (r->comments[i] == string)
			return;
	r->comments[r->comment_count++] = string;
}

const char *recorded_get_string(const struct recorded *r, __u32 id)
{
	return id ? interned_get(&r->strings, id, NULL) : "";
}

const struct recorded_function *recorded_get_function(const struct recorded *r, __u32 id)
{
	return interned_get(&r->functions, id, NULL);
}

const struct recorded_mapping *recorded_get_mapping(const struct recorded *r, __u32 id)
{
	return interned_get(&r->mappings, id, NULL);
}

const struct recorded_place *recorded_get_place(const struct recorded *r, __u32 id)
{
	return interned_get(&r->places, id, NULL);
}

struct recorded_stack recorded_get_stack(const struct recorded *r, __u32 id)
{
	struct recorded_stack s = { 0 };
	size_t size;
	const __u32 *words = interned_get(&r->stacks, id, &size);

	s.places = words + 1;
	s.n = size / sizeof(*words) - 1;
	s.labels = interned_get(&r->owners, words[0], &size);
	s.label_count = size / sizeof(*s.labels);
	s.values = r->values + (size_t)(id - 1) * r->type_count;
	return s;
}

const struct recorded_label *recorded_find_label(const struct recorded_stack *s, __u32 key)
{
	for (size_t i = 0; key && i < s->label_count; i++)
		if (s->labels[i].key == key)
			return &s->labels[i];
	return NULL;
}
