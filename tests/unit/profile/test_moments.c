// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_moments.c - moments of a profile: those of samples that there are, and in a part of the profile those
 * of the part.
 */
#include <errno.h>

#include "profile/filter.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

static __u32 add_sample(struct profile *p, enum event_kind kind, __u32 pid, __u32 location, __u64 count)
{
	const struct profile_labels labels = { .pid = pid };

	assert_int_equal(profile_sample(p, kind, &location, 1, &labels, count), 0);
	return profile_last_sample(p);
}

static struct profile *new_profile(__u32 *ret_location)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
		.period_ns = 1000,
	};
	struct profile *p;
	__u32 function;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "a.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 0, 0, ret_location), 0);
	return p;
}

TEST(they_are_of_samples)
{
	__u32 location;
	_cleanup_profile_ struct profile *p = new_profile(&location);
	struct moment m = { .begin = 1, .end = 2, .amount = 3, .sample = 1 };

	assert_int_equal(profile_last_sample(p), 0);
	assert_int_equal(profile_moment(p, &m), -EINVAL);
	assert_int_equal(add_sample(p, EVENT_CPU, 12, location, 3), 1);
	assert_int_equal(profile_moment(p, &m), 0);
	m.kind = EVENT_KINDS;
	assert_int_equal(profile_moment(p, &m), -EINVAL);
	assert_int_equal(profile_moments(p)->count, 1);
	assert_int_equal(profile_total(p), 3);
}

TEST(a_part_has_its_own)
{
	__u32 location;
	_cleanup_profile_ struct profile *p = new_profile(&location), *part = NULL;
	struct profile_filter f = { .events = EVENT_BIT(EVENT_OFFCPU) };

	for (__u32 i = 0; i < 1000; i++) {
		const enum event_kind kind = i % 2 ? EVENT_CPU : EVENT_OFFCPU;
		const __u32 id = add_sample(p, kind, 10 + i % 4, location, 5);
		const struct moment m = { i, i + 1, 5, id, kind };

		assert_int_equal(profile_moment(p, &m), 0);
	}
	assert_int_equal(profile_filter_set(&f, "pid", "12"), 0);
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	assert_int_equal(profile_count(part, PROFILE_SAMPLE), 1);
	assert_int_equal(profile_moments(part)->count, 250);
	for (size_t i = 0; i < 250; i++) {
		const struct moment *m = &profile_moments(part)->list[i];

		assert_int_equal(m->begin, 4 * i + 2);
		assert_int_equal(m->sample, 1);
		assert_int_equal(m->kind, EVENT_OFFCPU);
	}
}
