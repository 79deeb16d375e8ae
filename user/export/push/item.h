/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * item.h - a profile that waits to be pushed. For push.c alone; others have lists of them (push.h).
 */
#ifndef PYPERF_EXPORT_PUSH_ITEM_H
#define PYPERF_EXPORT_PUSH_ITEM_H

#include "export/push/attempt.h"
#include "export/push/push.h"

struct push_item {
	struct push_item *next;
	struct push *push; /* whose queue it is in, or NULL */
	char *series, *service;
	__u64 user;
	struct owner_share *share; /* of the user, in a queue */
	struct buf labels;	   /* names and values, each with its NUL */
	long long start_unix_ns, duration_ns;
	bool is_otlp;
	struct buf encoded;
	int attempts;
	double not_before; /* CLOCK_MONOTONIC */
	struct push_attempt attempt;
};

/* NULL is fine. */
void push_item_free(struct push_item *item);
/*
 * Whether this one, or one behind it, was tried in vain; NULL: no. The queue may never be empty: where pushes
 * are spread over an interval, the next one is there before one is sent.
 */
bool push_item_any_failed(const struct push_item *item);
/* The item as a profile to push. It is valid as long as the item. */
struct push_profile push_item_profile(const struct push_item *item);
/* Takes the first one out of the list; NULL = it is empty. */
struct push_item *push_list_take(struct push_list *l);

#endif
