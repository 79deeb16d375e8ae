// SPDX-License-Identifier: GPL-2.0-only
#include "profile/otlp_times.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/protobuf.h"
#include "profile/moments.h"
#include "profile/profile.h"

static int compare(__u64 x, __u64 y)
{
	return (x > y) - (x < y);
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return compare(x->sample, y->sample) ?: compare(x->kind, y->kind) ?: compare(x->begin, y->begin) ?:
	       compare(x->end, y->end) ?: compare(x->amount, y->amount);
}

/* Whether they are all that was counted, and lie in the time that the profile is of. */
static bool are_all(const struct profile *p, const struct moments *m)
{
	const __u64 duration = profile_get_info(p)->duration_ns;
	__u64 sums[EVENT_KINDS] = {};

	for (size_t i = 0; i < m->count; i++) {
		const struct moment *one = &m->list[i];
		const bool is_tick = event_rows[one->kind].unit == UNIT_COUNT;

		if (one->begin > one->end || (is_tick ? one->end : one->begin) >= duration)
			return false;
		sums[one->kind] += one->amount;
	}
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (sums[kind] != profile_total_of(p, kind))
			return false;
	return m->count;
}

int otlp_times_open(struct otlp_times *t, const struct profile *p)
{
	const struct moments *m = profile_moments(p);
	const __u32 n = profile_count(p, PROFILE_SAMPLE);

	*t = (struct otlp_times){ .profile = p };
	if (!are_all(p, m))
		return 0;
	t->first = calloc((size_t)n + 2, sizeof(*t->first));
	t->moments = calloc(m->count, sizeof(*t->moments));
	if (!t->first || !t->moments) {
		otlp_times_close(t);
		return -ENOMEM;
	}
	memcpy(t->moments, m->list, m->count * sizeof(*t->moments));
	qsort(t->moments, m->count, sizeof(*t->moments), compare_moments);
	for (size_t i = 0; i < m->count; i++)
		t->first[t->moments[i].sample + 1]++;
	for (__u32 id = 0; id <= n; id++)
		t->first[id + 1] += t->first[id];
	return 0;
}

void otlp_times_close(struct otlp_times *t)
{
	free(TAKE_PTR(t->moments));
	free(TAKE_PTR(t->first));
}

bool otlp_times_are_there(const struct otlp_times *t)
{
	return t->moments;
}

static int add_one(const struct otlp_times *t, __u64 value, __u64 after, struct buf *values,
		   struct buf *times)
{
	const __u64 at = htole64(profile_get_info(t->profile)->start_unix_ns + after);

	value = value > INT64_MAX ? INT64_MAX : value;
	return protobuf_add_varint(values, value) ?: buf_add(times, &at, sizeof(at));
}

/* Ticks of a run are as far apart as each other. */
static int add_ticks(const struct otlp_times *t, const struct moment *m, __u64 scale, struct buf *values,
		     struct buf *times)
{
	const __u64 step = m->amount > 1 ? (m->end - m->begin) / (m->amount - 1) : 0;
	int err = 0;

	for (__u64 i = 0; i < m->amount && !err; i++)
		err = add_one(t, scale, m->begin + i * step, values, times);
	return err;
}

static int add_moment(const struct otlp_times *t, const struct moment *m, __u64 scale, struct buf *values,
		      struct buf *times)
{
	__u64 value = m->amount;

	if (event_rows[m->kind].unit == UNIT_COUNT && m->end > m->begin)
		return add_ticks(t, m, scale, values, times);
	if (__builtin_mul_overflow(value, scale, &value))
		value = INT64_MAX;
	return add_one(t, value, m->begin, values, times);
}

static int add_counted(const struct otlp_times *t, __u32 sample, __u32 kind, __u64 scale, struct buf *values,
		       struct buf *times)
{
	int err = 0;

	for (__u32 i = t->first[sample]; !err && i < t->first[sample + 1]; i++)
		if (t->moments[i].kind == kind)
			err = add_moment(t, &t->moments[i], scale, values, times);
	return err;
}

/*
 * The account says how much, and when, the ticks: they share it in equal parts. What no tick has seen was
 * counted by the end.
 */
static int add_account(const struct otlp_times *t, __u32 sample, struct buf *values, struct buf *times)
{
	const __u64 *counts = profile_get_sample(t->profile, sample).counts;
	const __u64 ns = counts[PROFILE_TIME], ticks = counts[EVENT_CPU];
	__u64 at = 0;
	int err = 0;

	if (ns && !ticks)
		return add_one(t, ns, profile_get_info(t->profile)->duration_ns - 1, values, times);
	for (__u32 i = t->first[sample]; !err && ns && i < t->first[sample + 1]; i++) {
		const struct moment *m = &t->moments[i];
		const __u64 step = m->amount > 1 ? (m->end - m->begin) / (m->amount - 1) : 0;

		if (m->kind != EVENT_CPU)
			continue;
		for (__u64 k = 0; !err && k < m->amount; k++) {
			const __u64 before = (unsigned __int128)ns * at++ / ticks;
			const __u64 part = (unsigned __int128)ns * at / ticks - before;

			err = part ? add_one(t, part, m->begin + k * step, values, times) : 0;
		}
	}
	return err;
}

int otlp_times_add(const struct otlp_times *t, __u32 sample, __u32 kind, __u64 scale, struct buf *values,
		   struct buf *times)
{
	if (!scale)
		return add_account(t, sample, values, times);
	return add_counted(t, sample, kind, scale, values, times);
}
