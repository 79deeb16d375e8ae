// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_derive_intervals.c - profiles of intervals: how long, how many, and where to.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"

TEST(continuous)
{
	static const struct {
		const char *text;
		unsigned long long files, bytes;
	} good[] = {
		{ "1", 1, 0 },
		{ "24", 24, 0 },
		{ "500MiB", 0, 500ULL << 20 },
		{ "1KiB", 0, 1024 },
		{ "2GiB", 0, 2ULL << 30 },
		{ "3TiB", 0, 3ULL << 40 },
	};
	static const char *const bad[] = { "", "0", "-1", "0MiB", "MiB", "1.5GiB", "5MB", "5M", "5 MiB",
					   "5MiBs",
					   "99999999999999999999", "18446744073709551615KiB", "\xff",
					   "0x10" };

	ACCEPT("-a");
	assert_false(o.continuous);
	ACCEPT("-a", "--output-dir", "d");
	assert_true(o.continuous);
	assert_true(o.interval_seconds == 60);
	assert_true(o.keep_bytes == 500ULL << 20 && !o.keep_files);
	ACCEPT("-a", "--output-dir", "d", "--interval", "0.5");
	assert_true(o.interval_seconds == 0.5);
	ACCEPT("-a", "--output-dir", "d", "--interval", "1.5m");
	assert_true(o.interval_seconds == 90);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ACCEPT("-a", "--output-dir", "d", "--keep", good[i].text);
		assert_true(o.keep_files == good[i].files && o.keep_bytes == good[i].bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--keep", "-a", "--output-dir", "d", "--keep", bad[i]);
	REFUSE("--interval", "-a", "--output-dir", "d", "--interval", "0.01");
	REFUSE("--interval", "-a", "--output-dir", "d", "--interval", "1x");
	REFUSE("--output-dir", "-a", "--interval", "1");
	ACCEPT("-a", "--listen", "7070", "--interval", "1"); /* of its page */
	assert_true(o.interval_seconds == 1 && !o.continuous);
	REFUSE("--output-dir", "-a", "--keep", "1");
	REFUSE("--output", "-a", "--output-dir", "d", "-o", "x");
	REFUSE("folded", "-a", "--output-dir", "d", "--format", "folded");
	REFUSE("--output-dir", "-a", "--output-dir", "");
}

AROUND_ALL(NULL, free_options);
