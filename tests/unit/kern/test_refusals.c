// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_refusals.c - a user for whom there was no room is known for a second.
 */
#include <unistd.h>

#include "base/clock.h"
#include "kern/refusals.h"
#include "tests/forge/test.h"

TEST(for_a_second)
{
	struct refusals r = {};
	__u64 begin;

	assert_false(refusals_has(&r, 0));
	assert_false(refusals_has(&r, 7));
	begin = clock_ns();
	refusals_add(&r, 7);
	while (refusals_has(&r, 7))
		usleep(1000);
	assert_true(clock_ns() >= begin + NS_PER_SECOND);
	assert_false(refusals_has(&r, 7));
}

/* However many there are: the last one is known, and none that never was. */
TEST(of_many)
{
	struct refusals r = {};

	for (__u64 user = 1; user <= 1000; user++) {
		refusals_add(&r, user);
		assert_true(refusals_has(&r, user));
		assert_false(refusals_has(&r, user + 1));
	}
}
