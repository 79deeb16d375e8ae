// SPDX-License-Identifier: GPL-2.0-only
/* test_asked_lately.c - a thing is asked for once in half a second, and again as soon as it was answered. */
#include <unistd.h>

#include "base/clock.h"
#include "symbols/asked_lately.h"
#include "tests/forge/test.h"

TEST(once_until_it_is_answered)
{
	struct asked_lately a = { 0 };

	assert_false(asked_lately(&a, 7));
	assert_true(asked_lately(&a, 7));
	assert_false(asked_lately(&a, 8));
	asked_lately_forget(&a, 7);
	assert_false(asked_lately(&a, 7));
	assert_true(asked_lately(&a, 8));
}

TEST(again_after_a_while)
{
	const __u64 begin = clock_ms();
	struct asked_lately a = { 0 };

	assert_false(asked_lately(&a, 7));
	while (asked_lately(&a, 7)) {
		assert_true(clock_ms() - begin < 20 * ASKED_LATELY_MS);
		usleep(10000);
	}
	assert_true(clock_ms() - begin >= ASKED_LATELY_MS);
}

/* What has no room is asked for too often, and what is said to be answered is that alone. */
TEST(two_in_one_place)
{
	struct asked_lately a = { 0 };

	assert_false(asked_lately(&a, 7));
	assert_false(asked_lately(&a, 7 + ASKED_LATELY));
	assert_false(asked_lately(&a, 7));
	asked_lately_forget(&a, 7 + ASKED_LATELY);
	assert_true(asked_lately(&a, 7));
}
