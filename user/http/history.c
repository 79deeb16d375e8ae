// SPDX-License-Identifier: GPL-2.0-only
#include "http/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

void interval_get(struct interval *i)
{
	i->users++;
}

void interval_put(struct interval *i)
{
	if (--i->users)
		return;
	profile_free(i->profile);
	free(i);
}

static void drop_oldest(struct history *h)
{
	h->bytes -= h->rows[0]->bytes;
	interval_put(h->rows[0]);
	memmove(h->rows, h->rows + 1, --h->count * sizeof(*h->rows));
}

int history_add(struct history *h, struct profile *profile, unsigned long serial)
{
	struct interval *i = calloc(1, sizeof(*i));

	if (!i)
		return -ENOMEM;
	*i = (struct interval){ profile, serial, 1, sizeof(*i) + profile_bytes(profile) };
	while (h->count && (h->count == HISTORY_MAX || h->bytes + i->bytes > HISTORY_BYTES_MAX))
		drop_oldest(h);
	h->rows[h->count++] = i;
	h->bytes += i->bytes;
	return 0;
}

void history_clear(struct history *h)
{
	while (h->count)
		drop_oldest(h);
}

struct interval *history_newest(const struct history *h)
{
	return h->count ? h->rows[h->count - 1] : NULL;
}

static double middle(const struct interval *i)
{
	const struct profile_info *info = profile_get_info(i->profile);

	return (info->start_unix_ns + info->duration_ns / 2.0) / 1e9;
}

size_t history_find(const struct history *h, double from, double to, size_t *ret_first)
{
	size_t first = 0, end;

	while (first < h->count && middle(h->rows[first]) < from)
		first++;
	for (end = first; end < h->count && (to <= 0 || middle(h->rows[end]) < to); end++)
		;
	*ret_first = first;
	return end - first;
}
