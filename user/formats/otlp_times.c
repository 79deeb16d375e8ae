// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_times.h"

#include <stdint.h>

#include "profile/profile.h"

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

	*t = (struct otlp_times){ .profile = p };
	return are_all(p, m) ? moments_sort(m, profile_count(p, PROFILE_SAMPLE), &t->moments) : 0;
}

void otlp_times_close(struct otlp_times *t)
{
	sorted_moments_free(&t->moments);
}

bool otlp_times_are_there(const struct otlp_times *t)
{
	return t->moments.list;
}

static int give_one(const struct otlp_times *t, __u64 value, __u64 after, const struct otlp_times_taker *to)
{
	const __u64 at = profile_get_info(t->profile)->start_unix_ns + after;

	return to->take(to->context, value > INT64_MAX ? INT64_MAX : (__s64)value, at);
}

/* Ticks of a run are as far apart as each other. */
static int give_ticks(const struct otlp_times *t, const struct moment *m, __u64 scale,
		      const struct otlp_times_taker *to)
{
	const __u64 step = m->amount > 1 ? (m->end - m->begin) / (m->amount - 1) : 0;
	int err = 0;

	for (__u64 i = 0; i < m->amount && !err; i++)
		err = give_one(t, scale, m->begin + i * step, to);
	return err;
}

static int give_moment(const struct otlp_times *t, const struct moment *m, __u64 scale,
		       const struct otlp_times_taker *to)
{
	__u64 value = m->amount;

	if (event_rows[m->kind].unit == UNIT_COUNT && m->end > m->begin)
		return give_ticks(t, m, scale, to);
	if (__builtin_mul_overflow(value, scale, &value))
		value = INT64_MAX;
	return give_one(t, value, m->begin, to);
}

static int give_counted(const struct otlp_times *t, __u32 sample, __u32 kind, __u64 scale,
			const struct otlp_times_taker *to)
{
	int err = 0;

	for (__u32 i = t->moments.first[sample]; !err && i < t->moments.first[sample + 1]; i++)
		if (t->moments.list[i].kind == kind)
			err = give_moment(t, &t->moments.list[i], scale, to);
	return err;
}

/*
 * The account says how much, and when, the ticks: they share it in equal parts. What no tick has seen was
 * counted by the end.
 */
static int give_account(const struct otlp_times *t, __u32 sample, const struct otlp_times_taker *to)
{
	const __u64 *counts = profile_get_sample(t->profile, sample).counts;
	const __u64 ns = counts[PROFILE_TIME], ticks = counts[EVENT_CPU];
	__u64 at = 0;
	int err = 0;

	if (ns && !ticks)
		return give_one(t, ns, profile_get_info(t->profile)->duration_ns - 1, to);
	for (__u32 i = t->moments.first[sample]; !err && ns && i < t->moments.first[sample + 1]; i++) {
		const struct moment *m = &t->moments.list[i];
		const __u64 step = m->amount > 1 ? (m->end - m->begin) / (m->amount - 1) : 0;

		if (m->kind != EVENT_CPU)
			continue;
		for (__u64 k = 0; !err && k < m->amount; k++) {
			const __u64 before = (unsigned __int128)ns * at++ / ticks;
			const __u64 part = (unsigned __int128)ns * at / ticks - before;

			err = part ? give_one(t, part, m->begin + k * step, to) : 0;
		}
	}
	return err;
}

int otlp_times_give(const struct otlp_times *t, __u32 sample, __u32 kind, __u64 scale,
		    const struct otlp_times_taker *to)
{
	if (!scale)
		return give_account(t, sample, to);
	return give_counted(t, sample, kind, scale, to);
}
