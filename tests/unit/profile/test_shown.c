// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_shown.c - CPU time of the kernel's account is shown in place of ticks; no other kind is.
 */

#include "profile/profile.h"
#include "tests/forge/test.h"

/* 3 ticks of 10 ms, of which the account says 1.5 s; and 2 s of waiting. */
static struct profile *example(__u32 events, bool timed)
{
	const struct profile_info info = { .events = events, .period_ns = 10000000, .timed = timed };
	const struct profile_labels labels = { .pid = 1, .tid = 1 };
	__u32 function, at;
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &at), 0);
	if (events & EVENT_BIT(EVENT_CPU))
		assert_int_equal(profile_sample(p, EVENT_CPU, &at, 1, &labels, 3), 0);
	if (events & EVENT_BIT(EVENT_CPU) && timed)
		assert_int_equal(profile_sample(p, PROFILE_TIME, &at, 1, &labels, 1500000000), 0);
	if (events & EVENT_BIT(EVENT_OFFCPU))
		assert_int_equal(profile_sample(p, EVENT_OFFCPU, &at, 1, &labels, 2000000000), 0);
	return p;
}

static void is_shown(__u32 events, bool timed, enum event_unit unit, __u64 total, int hundredths)
{
	_cleanup_profile_ struct profile *p = example(events, timed);

	assert_int_equal(profile_shown_unit(p), unit);
	assert_true(profile_total(p) == total);
	assert_true(profile_get_sample(p, 1).count == total);
	assert_int_equal((int)(100 * profile_shown_amount(p, total) + 0.5), hundredths);
}

TEST(what_is_shown)
{
	is_shown(EVENT_BIT(EVENT_CPU), false, UNIT_COUNT, 3, 3);
	is_shown(EVENT_BIT(EVENT_CPU), true, UNIT_NANOSECONDS, 1500000000, 150);
	is_shown(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), true, UNIT_NANOSECONDS, 1500000000, 150);
	is_shown(EVENT_BIT(EVENT_OFFCPU), true, UNIT_NANOSECONDS, 2000000000, 200);
}
