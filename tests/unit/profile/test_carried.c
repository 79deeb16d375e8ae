// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_carried.c - what a pushed profile says of how it was sampled: only what there is to say, by names that
 * are never cut.
 */
#include <string.h>

#include "profile/carried.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

static struct carried list[CARRIED_MAX];

static __u64 amount_of(size_t n, const char *name)
{
	__u64 found = 0;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			found += list[i].amount;
	return found;
}

TEST(nothing_was_lost)
{
	const struct profile_info info = { .duration_ns = 15000000000, .frequency = 99 };
	const size_t n = carried_list(&info, list);

	assert_int_equal(n, 3);
	assert_int_equal(amount_of(n, "profiles"), 1);
	assert_int_equal(amount_of(n, "milliseconds"), 15000);
	assert_int_equal(amount_of(n, "run pyperf-bpf " PYPERF_VERSION ", 99 Hz"), 1);
}

TEST(all_that_can_be_lost)
{
	struct profile_info info = { .duration_ns = 1000000, .frequency = 4294967295, .outside = true,
				     .ticks_came = 5, .ticks_wanted = 7, .unlooked = 3, .unanalysed = 11,
				     .forbidden = 13 };
	size_t n;

	for (int i = 0; i < FULL_TABLES; i++)
		info.full[i] = 100 + i;
	n = carried_list(&info, list);
	assert_int_equal(n, CARRIED_MAX);
	assert_int_equal(amount_of(n, "ticks that came where some are missing"), 5);
	assert_int_equal(amount_of(n, "ticks wanted where some are missing"), 7);
	assert_int_equal(amount_of(n, "profiles with processes that could not be looked at"), 1);
	assert_int_equal(amount_of(n, "full ticks_thinned"), 100 + FULL_TABLE_ticks_thinned);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(amount_of(n, list[i].name), list[i].amount); /* no two have one name */
	for (int i = 0; i < CARRIED_KINDS; i++)
		assert_in_range(strlen(carried_names[i]), 1, CARRIED_NAME_SIZE - 1);
	for (int i = 0; i < FULL_TABLES; i++)
		assert_in_range(strlen(CARRIED_FULL) + strlen(full_table_rows[i].stat), 1,
				CARRIED_NAME_SIZE - 1);
	assert_string_equal(list[n - 1].name,
			    "run pyperf-bpf " PYPERF_VERSION ", 4294967295 Hz, from outside");
}
