// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/item.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool push_item_any_failed(const struct push_item *item)
{
	for (; item; item = item->next)
		if (item->attempts > (item->attempt.easy ? 1 : 0))
			return true;
	return false;
}

void push_item_free(struct push_item *item)
{
	if (!item)
		return;
	buf_free(&item->encoded);
	buf_free(&item->labels);
	free(item->series);
	free(item->service);
	free(item);
}

static int copy_labels(struct push_item *item, const struct push_profile *p)
{
	int err = 0;

	for (size_t i = 0; !err && i < p->label_count; i++)
		err = buf_add(&item->labels, p->labels[i].name, strlen(p->labels[i].name) + 1) ?:
			      buf_add(&item->labels, p->labels[i].value, strlen(p->labels[i].value) + 1);
	return err;
}

static struct push_item *new_item(const struct push_profile *p)
{
	struct push_item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->series = strdup(p->series);
	item->service = strdup(p->service);
	item->start_unix_ns = p->start_unix_ns;
	item->duration_ns = p->duration_ns;
	item->is_otlp = p->is_otlp;
	item->user = p->user;
	if (item->series && item->service && !copy_labels(item, p) &&
	    !buf_add(&item->encoded, p->encoded, p->size))
		return item;
	push_item_free(item);
	return NULL;
}

struct push_profile push_item_profile(const struct push_item *item)
{
	struct push_profile p = {
		.series = item->series,
		.service = item->service,
		.user = item->user,
		.start_unix_ns = item->start_unix_ns,
		.duration_ns = item->duration_ns,
		.is_otlp = item->is_otlp,
		.encoded = item->encoded.data,
		.size = item->encoded.size,
	};

	for (const char *at = item->labels.data; at < item->labels.data + item->labels.size;
	     at += strlen(at) + 1) {
		struct push_label *l = &p.labels[p.label_count++];

		l->name = at;
		at += strlen(at) + 1;
		l->value = at;
	}
	return p;
}

int push_list_add(struct push_list *l, const struct push_profile *p)
{
	struct push_item *item = new_item(p);

	if (!item)
		return -ENOMEM;
	if (l->last)
		l->last->next = item;
	else
		l->first = item;
	l->last = item;
	return 0;
}

struct push_item *push_list_take(struct push_list *l)
{
	struct push_item *item = l->first;

	if (!item)
		return NULL;
	l->first = TAKE_PTR(item->next);
	if (!l->first)
		l->last = NULL;
	return item;
}

void push_list_free(struct push_list *l)
{
	struct push_item *item;

	while ((item = push_list_take(l)))
		push_item_free(item);
}
