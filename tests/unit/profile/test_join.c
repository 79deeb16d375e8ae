// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_join.c - several profiles as one: equal stacks are one, times and ticks add up, and what a sample
 * stands for is what it does on average.
 */
#include <errno.h>
#include <string.h>

#include "profile/join.h"
#include "tests/forge/test.h"

static struct profile *new_profile(__u32 events, __s64 period)
{
	struct profile_info info = {
		.events = events,
		.period_ns = period,
		.start_unix_ns = 1790000000000000000 + period,
		.duration_ns = 2000000000,
		.ticks_came = 90,
		.ticks_wanted = 100,
		.full = { 1 },
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static void add(struct profile *p, enum event_kind kind, __u32 pid, const char *name, __u64 count)
{
	const struct profile_labels labels = { .pid = pid };
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, kind, &location, 1, &labels, count), 0);
}

TEST(adds_up)
{
	_cleanup_profile_ struct profile *a = new_profile(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), 10);
	_cleanup_profile_ struct profile *b = new_profile(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), 20);
	_cleanup_profile_ struct profile *whole = NULL;
	const struct profile *const parts[] = { a, b };
	const struct profile_info *info;

	add(a, EVENT_CPU, 1, "f", 3);
	add(a, EVENT_CPU, 2, "f", 1);
	add(b, EVENT_CPU, 1, "f", 6);
	add(b, EVENT_OFFCPU, 1, "g", 1000);
	assert_int_equal(profile_join(parts, 2, &whole), 0);
	assert_int_equal(profile_count(whole, PROFILE_SAMPLE), 3);
	assert_int_equal(profile_count(whole, PROFILE_FUNCTION), 2);
	assert_int_equal(profile_total_of(whole, EVENT_CPU), 10);
	assert_int_equal(profile_total_of(whole, EVENT_OFFCPU), 1000);
	assert_int_equal(profile_get_sample(whole, 1).counts[EVENT_CPU], 9);
	info = profile_get_info(whole);
	assert_int_equal(info->start_unix_ns, 1790000000000000010);
	assert_int_equal(info->duration_ns, 4000000000);
	assert_int_equal(info->ticks_came, 180);
	assert_int_equal(info->ticks_wanted, 200);
	assert_int_equal(info->full[0], 2);
	assert_int_equal(info->period_ns, 16); /* 4 of 10 and 6 of 20 */
}

TEST(refuses)
{
	_cleanup_profile_ struct profile *a = new_profile(EVENT_BIT(EVENT_CPU), 10);
	_cleanup_profile_ struct profile *b = new_profile(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), 20);
	const struct profile *const parts[] = { a, b };
	struct profile *whole = NULL;

	assert_int_equal(profile_join(parts, 0, &whole), -EINVAL);
	assert_int_equal(profile_join(parts, 2, &whole), -EINVAL);
	assert_null(whole);
}

/* Time of the kernel's account has what it had. */
TEST(accounts)
{
	_cleanup_profile_ struct profile *a = new_profile(EVENT_BIT(EVENT_CPU), 10);
	_cleanup_profile_ struct profile *b = new_profile(EVENT_BIT(EVENT_CPU), 10);
	_cleanup_profile_ struct profile *whole = NULL;
	const struct profile *const parts[] = { a, b };
	const struct profile_labels labels = { .pid = 1 };

	add(a, EVENT_CPU, 1, "f", 1);
	assert_int_equal(profile_account(a, &labels, 5), 0);
	assert_int_equal(profile_account(b, &labels, 7), 0);
	assert_int_equal(profile_join(parts, 2, &whole), 0);
	assert_true(profile_has_accounts(whole));
	assert_int_equal(profile_get_account(whole, 1), 12);
}
