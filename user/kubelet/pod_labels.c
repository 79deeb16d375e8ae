// SPDX-License-Identifier: GPL-2.0-only
#include "kubelet/pod_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX_MAX 253 /* before the '/' */
#define LABEL_MAX  63  /* behind it, or without it */
/* Of one list each pod was seen so much before the last one: qsort() may change the order of equal ones. */
#define ORDER_SECONDS 1e-6

static bool is_word(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
		      (text[i] >= '0' && text[i] <= '9') || text[i] == '-' || text[i] == '_' ||
		      text[i] == '.'))
			return false;
	return true;
}

static bool is_name(const char *text, size_t length)
{
	const char *slash = memchr(text, '/', length);
	size_t prefix = slash ? slash - text : 0, rest = slash ? length - prefix - 1 : length;

	if (slash && (!prefix || prefix > PREFIX_MAX || !is_word(text, prefix)))
		return false;
	return rest && rest <= LABEL_MAX && is_word(text + length - rest, rest);
}

bool pod_label_is_value(const char *text)
{
	size_t length = strnlen(text, POD_LABEL_VALUE_SIZE);

	return length < POD_LABEL_VALUE_SIZE && is_word(text, length);
}

static bool is_there(const struct pod_label_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

int pod_label_names_parse(const char *text, struct pod_label_names *ret)
{
	struct pod_label_names names = {};

	for (;;) {
		size_t length = strcspn(text, ",");
		char *name = names.name[names.count];

		if (names.count == POD_LABELS_MAX || !is_name(text, length))
			return -EINVAL;
		memcpy(name, text, length);
		if (is_there(&names, name))
			return -EINVAL;
		names.count++;
		if (!text[length])
			break;
		text += length + 1;
	}
	*ret = names;
	return 0;
}

static int by_uid(const void *a, const void *b)
{
	return strcmp(((const struct pod_entry *)a)->uid, ((const struct pod_entry *)b)->uid);
}

/* The newest first, so that of two with one uid the first is the one to keep. */
static int by_uid_and_time(const void *a, const void *b)
{
	const struct pod_entry *x = a, *y = b;

	return by_uid(a, b) ?: (x->seen < y->seen) - (x->seen > y->seen);
}

const struct pod_entry *pod_labels_find(const struct pod_labels *t, const char *uid)
{
	struct pod_entry key;

	if (!t->count || strlen(uid) >= sizeof(key.uid))
		return NULL;
	strcpy(key.uid, uid);
	return bsearch(&key, t->entries, t->count, sizeof(key), by_uid);
}

/* Copies behind the list those pods of the table that are to stay. */
static size_t keep_old(const struct pod_labels *t, struct pod_entry *list, size_t count, double now)
{
	for (size_t i = 0; i < t->count && count < PODS_KNOWN_MAX; i++)
		if (now - t->entries[i].seen < POD_KEPT_SECONDS)
			list[count++] = t->entries[i];
	return count;
}

int pod_labels_update(struct pod_labels *t, struct pod_entry *list, size_t count, double now)
{
	struct pod_entry *all;
	size_t n = 0;

	if (count > PODS_KNOWN_MAX)
		count = PODS_KNOWN_MAX;
	all = reallocarray(list, count + t->count + 1, sizeof(*all));
	if (!all) {
		free(list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		all[i].seen = now - (double)i * ORDER_SECONDS;
	count = keep_old(t, all, count, now);
	qsort(all, count, sizeof(*all), by_uid_and_time);
	for (size_t i = 0; i < count; i++)
		if (!n || strcmp(all[n - 1].uid, all[i].uid))
			all[n++] = all[i];
	free(t->entries);
	t->entries = all;
	t->count = n;
	return 0;
}

void pod_labels_free(struct pod_labels *t)
{
	free(t->entries);
	*t = (struct pod_labels){};
}
