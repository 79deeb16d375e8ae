// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_duration.c - times as people write them, and what is none.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "tests/forge/test.h"

static void is_long(const char *text, double bare, double expected)
{
	double seconds = -1;

	if (duration_parse(text, bare, &seconds))
		fail_msg("'%s' is refused", text);
	assert_true(seconds > expected - 1e-9 && seconds < expected + 1e-9);
}

TEST(units)
{
	is_long("10s", 1, 10);
	is_long("1.5m", 1, 90);
	is_long("1h", 1, 3600);
	is_long("2d", 1, 172800);
	is_long("250ms", 1, 0.25);
	is_long("100us", 1, 0.0001);
	is_long(".5s", 1, 0.5);
	is_long("1h30m", 1, 5400);
	is_long("1m0.5s", 0, 60.5);
	is_long("1e2s", 1, 100);
}

TEST(a_number_alone)
{
	double seconds = 7;

	is_long("10", 1, 10);
	is_long("0.25", 1, 0.25);
	is_long("10", 60, 600);
	is_long("0", 1, 0);
	assert_int_equal(duration_parse("10", 0, &seconds), -EINVAL);
	assert_true(seconds == 7);
}

TEST(nothing_else)
{
	static const char *const none[] = {
		"",    "s",    "soon", "-1",   "-1s",   "+1",  "nan",  "inf",  "0x10",  "1 s",  "1s ", " 1",
		"10x", "10se", "1h30", "30 1h", "1S",   "1,5s", "1m m", "1e999", "infs", "0x1d",
		"1..5s", "10%",
	};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		double seconds = 7;

		if (duration_parse(none[i], 1, &seconds) != -EINVAL)
			fail_msg("'%s' is taken", none[i]);
		assert_true(seconds == 7);
	}
}
