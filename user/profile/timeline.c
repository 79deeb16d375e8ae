// SPDX-License-Identifier: GPL-2.0-only
#include "profile/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/number.h"
#include "profile/moments.h"
#include "profile/profile.h"

int timeline_compare_owners(const struct profile *p, __u32 one, __u32 other)
{
	const struct profile_owner *a = profile_get_owner(p, one), *b = profile_get_owner(p, other);

	return number_order(a->pid, b->pid) ?: number_order(a->tid, b->tid) ?:
	       number_order(a->comm, b->comm) ?: number_order(a->thread, b->thread);
}

static __u32 owner_of(const struct profile *p, const struct timeline_piece *piece)
{
	return profile_get_sample(p, piece->sample).owner;
}

static int compare_pieces(const void *a, const void *b, void *profile)
{
	const struct timeline_piece *x = a, *y = b;
	const __u32 of_x = owner_of(profile, x), of_y = owner_of(profile, y);
	int order = of_x == of_y ? 0 : timeline_compare_owners(profile, of_x, of_y);

	return order ?: number_order(x->begin, y->begin) ?: number_order(x->end, y->end) ?:
	       number_order(x->sample, y->sample);
}

static struct timeline_piece piece_of(const struct moment *m)
{
	const bool is_tick = event_rows[m->kind].unit == UNIT_COUNT;

	return (struct timeline_piece){
		.begin = m->begin,
		.end = m->end,
		.amount = m->amount,
		.sample = m->sample,
		.kind = m->kind,
		.has_time = is_tick || m->end > m->begin,
	};
}

/* A tick stands for the time until the next piece, if that comes soon; else for that between two ticks. */
static void stretch_tick(struct timeline_piece *piece, const struct timeline_piece *next, __u64 period,
			 __u64 duration)
{
	const __u64 end = piece->end + period, soon = piece->end + period + period / 2;

	piece->end = next && next->begin < soon ? next->begin : end;
	if (piece->end > duration)
		piece->end = duration > piece->begin ? duration : piece->begin;
}

/* Gives each piece of a thread that has time a place of its own. */
static void lay_out(const struct profile *p, struct timeline_thread *t)
{
	const struct profile_info *info = profile_get_info(p);
	struct timeline_piece *before = NULL;
	__u64 end = 0;

	for (size_t i = 0; i <= t->count; i++) {
		struct timeline_piece *piece = i < t->count ? &t->pieces[i] : NULL;

		if (piece && !piece->has_time)
			continue;
		if (before && event_rows[before->kind].unit == UNIT_COUNT)
			stretch_tick(before, piece, info->period_ns, info->duration_ns);
		if (before && before->begin < end)
			before->begin = end;
		if (before && before->end < before->begin)
			before->end = before->begin;
		end = before ? before->end : end;
		before = piece;
	}
}

static int find_threads(struct timeline *t, const struct profile *p, size_t n)
{
	t->threads = calloc(n + 1, sizeof(*t->threads));
	if (!t->threads)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const __u32 owner = owner_of(p, &t->pieces[i]);
		struct timeline_thread *last = t->count ? &t->threads[t->count - 1] : NULL;

		if (last && !timeline_compare_owners(p, last->owner, owner))
			last->count++;
		else
			t->threads[t->count++] = (struct timeline_thread){ owner, &t->pieces[i], 1 };
	}
	for (size_t i = 0; i < t->count; i++)
		lay_out(p, &t->threads[i]);
	return 0;
}

int timeline_new(struct timeline *t, const struct profile *p)
{
	const struct moments *m = profile_moments(p);
	int err;

	*t = (struct timeline){};
	t->pieces = calloc(m->count + 1, sizeof(*t->pieces));
	if (!t->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < m->count; i++)
		t->pieces[i] = piece_of(&m->list[i]);
	qsort_r(t->pieces, m->count, sizeof(*t->pieces), compare_pieces, (void *)p);
	err = find_threads(t, p, m->count);
	if (err)
		timeline_free(t);
	return err;
}

void timeline_free(struct timeline *t)
{
	free(t->threads);
	free(t->pieces);
	*t = (struct timeline){};
}
