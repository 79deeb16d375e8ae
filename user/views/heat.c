// SPDX-License-Identifier: GPL-2.0-only
#include "views/heat.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "profile/moments.h"
#include "profile/profile.h"

#define CELL_NS (__s64)(NS_PER_SECOND / HEAT_PARTS)

struct heat {
	const struct profile *profile;
	__s64 start; /* Unix seconds of the first cell */
	__s64 ahead; /* ns by which the profile begins later; < 0 where its oldest are left out */
	__u64 *cells;
	size_t count;
};

static int open_cells(struct heat *h)
{
	const struct profile_info *info = profile_get_info(h->profile);
	const __s64 end =
		(info->start_unix_ns + info->duration_ns + (__s64)NS_PER_SECOND - 1) / (__s64)NS_PER_SECOND;

	h->start = info->start_unix_ns / (__s64)NS_PER_SECOND;
	if (end - h->start > HEAT_SECONDS_MAX)
		h->start = end - HEAT_SECONDS_MAX;
	h->ahead = info->start_unix_ns - h->start * (__s64)NS_PER_SECOND;
	h->count = (end - h->start) * HEAT_PARTS;
	h->cells = calloc(h->count + 1, sizeof(*h->cells));
	return h->cells ? 0 : -ENOMEM;
}

/* at: ns after the first cell began. What is before that, or behind the last one, is in none. */
static void add(struct heat *h, __s64 at, __u64 amount)
{
	if (at >= 0 && (size_t)(at / CELL_NS) < h->count)
		h->cells[at / CELL_NS] += amount;
}

/* Ticks that are equally far apart, from the first to the last. */
static void add_ticks(struct heat *h, const struct moment *m)
{
	const double step = m->amount > 1 ? (double)(m->end - m->begin) / (m->amount - 1) : 0;

	for (__u64 i = 0; i < m->amount; i++)
		add(h, (__s64)(m->begin + (__u64)(i * step)) + h->ahead, 1);
}

/* How much of it there has been at this time. */
static __u64 sum_at(const struct moment *m, __s64 begin, __s64 at)
{
	return (double)m->amount * (at - begin) / (m->end - m->begin);
}

/* A part of it for each cell. */
static void add_span(struct heat *h, const struct moment *m)
{
	const __s64 begin = m->begin + h->ahead, end = m->end + h->ahead;
	const __s64 last = h->count * CELL_NS;
	__s64 at = begin < 0 ? 0 : begin;

	while (at < end && at < last) {
		const __s64 next = (at / CELL_NS + 1) * CELL_NS;
		const __u64 sum = next < end ? sum_at(m, begin, next) : m->amount;

		add(h, at, sum - sum_at(m, begin, at));
		at = next;
	}
}

static int add_moments(struct heat *h, const bool *stop)
{
	const struct moments *all = profile_moments(h->profile);
	const enum event_kind kind = profile_shown(h->profile);

	for (size_t i = 0; i < all->count; i++) {
		const struct moment *m = &all->list[i];

		if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
			return -ECANCELED;
		if (m->kind != kind)
			continue;
		if (event_rows[kind].unit == UNIT_COUNT)
			add_ticks(h, m);
		else if (m->end > m->begin)
			add_span(h, m);
		else
			add(h, m->begin + h->ahead, m->amount);
	}
	return 0;
}

static int add_json(const struct heat *h, struct buf *out)
{
	const struct event_row *row = &event_rows[profile_shown(h->profile)];
	int err = buf_printf(out,
			     "{\"schema\":\"pyperf-bpf.heat/1\",\"event\":\"%s\",\"unit\":\"%s\","
			     "\"type\":\"%s\",\"start\":%lld,\"parts\":%d,\"cells\":[",
			     row->key, row->unit == UNIT_COUNT ? "count" : event_unit_name(row->unit),
			     row->type, h->start, HEAT_PARTS);

	for (size_t i = 0; i < h->count && !err; i++)
		err = (i ? buf_add(out, ",", 1) : 0) ?: buf_add_number(out, h->cells[i]);
	return err ?: buf_add_string(out, "]}\n");
}

int heat_encode_until(const struct profile *p, const bool *stop, struct buf *out)
{
	const size_t start = out->size;
	struct heat h = { .profile = p };
	int err = open_cells(&h) ?: add_moments(&h, stop) ?: add_json(&h, out);

	free(h.cells);
	if (err)
		out->size = start;
	return err;
}
