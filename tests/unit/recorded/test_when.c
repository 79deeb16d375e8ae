// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_when.c - moments as people write them: a table of cases.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "recorded/when.h"
#include "tests/forge/test.h"

#define NOW 1764082800LL /* 2025-11-25 15:00:00 UTC */
#define NS  1000000000LL

static const struct {
	const char *text;
	long long seconds;
} good[] = {
	{ "-30s", NOW - 30 },
	{ "-10m", NOW - 600 },
	{ "-2h", NOW - 7200 },
	{ "-1d", NOW - 86400 },
	{ "-1.5h", NOW - 5400 },
	{ "-1h30m", NOW - 5400 },
	{ "-0s", NOW },
	{ "14:00", NOW - 3600 },
	{ "14:00:30", NOW - 3570 },
	{ "14:00Z", NOW - 3600 },
	{ "2025-11-25T15:00", NOW },
	{ "2025-11-25T15:00Z", NOW },
	{ "2025-11-24T15:00:01", NOW - 86399 },
	{ "2025-11-25", NOW - 15 * 3600 },
};

static const char *const bad[] = {
	"", "now", "-", "-1", "-1w", "-h", "-1hh", "--1h", "15", "15:0x", "25:00", "2025-13-01",
	"2025-11-25T", "2025-11-25T15:00+01:00", "1969-01-01", "-99999999999999999999d", "-40000d",
	"2025-11-25 15:00",
};

TEST(moments)
{
	__s64 ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (when_parse(good[i].text, NOW * NS, &ns))
			fail_msg("%s is refused", good[i].text);
		if (ns != good[i].seconds * NS)
			fail_msg("%s: %lld", good[i].text, ns / NS - NOW);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ns = 77;
		if (!when_parse(bad[i], NOW * NS, &ns))
			fail_msg("%s is taken: %lld", bad[i], ns / NS - NOW);
		assert_int_equal(ns, 77);
	}
}
