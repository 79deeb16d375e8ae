// SPDX-License-Identifier: GPL-2.0-only
#include "profile/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/copy.h"
#include "profile/moments.h"

void profile_filter_keys(char ret_keys[FILTER_KEYS_SIZE])
{
	size_t used = 0;

	ret_keys[0] = '\0';
	for (int i = 0; i < LABEL_COUNT && used < FILTER_KEYS_SIZE; i++)
		if (label_rows[i].outputs & IN_QUERY)
			used += snprintf(ret_keys + used, FILTER_KEYS_SIZE - used, ", %s", label_rows[i].key);
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

	for (int i = 0; i < LABEL_COUNT; i++) {
		if (!(label_rows[i].outputs & IN_QUERY) || strcmp(label_rows[i].key, key))
			continue;
		if (*f->values[i] || !*value || strlen(value) >= FILTER_VALUE_MAX)
			return -EINVAL;
		if (!label_rows[i].is_text && parse_number(value, &number))
			return -EINVAL;
		strcpy(f->values[i], value);
		return 0;
	}
	return -ENOENT;
}

bool profile_filter_is_empty(const struct profile_filter *f)
{
	if (f->events || f->hide_native)
		return false;
	for (int i = 0; i < LABEL_COUNT; i++)
		if (*f->values[i])
			return false;
	return true;
}

bool profile_filter_is_same(const struct profile_filter *a, const struct profile_filter *b)
{
	if (a->events != b->events || a->hide_native != b->hide_native)
		return false;
	for (int i = 0; i < LABEL_COUNT; i++)
		if (strcmp(a->values[i], b->values[i]))
			return false;
	return true;
}

static bool matches(const struct profile_filter *f, const struct profile *p, const struct profile_owner *o)
{
	for (int i = 0; i < LABEL_COUNT; i++) {
		bool is_text = label_rows[i].is_text;
		__u32 wanted;

		if (!*f->values[i])
			continue;
		if (is_text && strcmp(profile_get_string(p, o->label[i]), f->values[i]))
			return false;
		if (!is_text && (parse_number(f->values[i], &wanted) || o->label[i] != wanted))
			return false;
	}
	return true;
}

/* The accounts of those that are in the part; the state of a moment is no part of them. */
static int filter_accounts(const struct profile_filter *f, const struct profile *p, struct profile *part)
{
	int err = 0;

	for (__u32 id = 1; !err && id <= profile_count(p, PROFILE_OWNER); id++) {
		const struct profile_labels labels = profile_get_labels(p, id);
		const __u64 ns = profile_get_account(p, id);

		if (ns && matches(f, p, profile_get_owner(p, id)))
			err = profile_account(part, &labels, ns);
	}
	return err;
}

/* Those of a sample, which is that number in the part. */
static int copy_moments(const struct profile *p, const __u32 *sample_of, struct profile *part)
{
	const __u32 events = profile_get_info(part)->events;
	const struct moments *all = profile_moments(p);
	int err = 0;

	for (size_t i = 0; i < all->count && !err; i++) {
		struct moment m = all->list[i];

		m.sample = sample_of[m.sample];
		if (m.sample && events & EVENT_BIT(m.kind))
			err = profile_moment(part, &m);
	}
	return err;
}

int profile_filter_apply(const struct profile_filter *f, const struct profile *p, struct profile **ret)
{
	_cleanup_profile_ struct profile *part = NULL;
	_cleanup_copier_ struct copier *c = NULL;
	_cleanup_free_ __u32 *sample_of = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1,
						 sizeof(*sample_of));
	struct profile_info info = *profile_get_info(p);
	int err;

	if (!sample_of)
		return -ENOMEM;

	if (f->events)
		info.events &= f->events;
	err = profile_new(&info, &part) ?: copier_new(&c, p);
	if (err)
		return err;
	if (f->hide_native)
		copier_hide_native(c);
	copier_begin(c, part);
	for (__u32 id = 1; !err && id <= profile_count(p, PROFILE_SAMPLE); id++) {
		struct profile_stack s = profile_get_sample(p, id);
		struct profile_labels labels = profile_get_labels(p, s.owner);

		if (!matches(f, p, profile_get_owner(p, s.owner)))
			continue;
		err = copier_add(c, &s, &labels);
		sample_of[id] = profile_last_sample(part);
	}
	err = err ?: copy_moments(p, sample_of, part) ?: filter_accounts(f, p, part);
	if (!err)
		*ret = TAKE_PTR(part);
	return err;
}
