// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unanalysed.c - the lines about ticks that came before there was a verdict, and about those of
 * processes that may not be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

#include "views/unanalysed.h"

static void check(__u64 ticks, __u64 forbidden, const char *expected)
{
	_cleanup_profile_ struct profile *p = example();
	struct profile_info info = *profile_get_info(p);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	info.unanalysed = ticks;
	info.forbidden = forbidden;
	assert_int_equal(profile_set_info(p, &info), 0);
	unanalysed_print(p, f);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

TEST(share_of_all_that_there_was)
{
	_cleanup_profile_ struct profile *p = example();
	char expected[128];

	snprintf(expected, sizeof(expected),
		 "\nNot in the profile: %.1f%%, 2 ticks of programs that were not analysed yet\n",
		 200.0 / (2 + profile_total_of(p, EVENT_CPU)));
	check(2, 0, expected);
	snprintf(expected, sizeof(expected),
		 "\nNot in the profile: %.1f%%, 1 tick of programs that were not analysed yet\n",
		 100.0 / (1 + profile_total_of(p, EVENT_CPU)));
	check(1, 0, expected);
}

TEST(may_not_be_read)
{
	_cleanup_profile_ struct profile *p = example();
	char expected[128];

	snprintf(expected, sizeof(expected),
		 "\nNot in the profile: %.1f%%, 3 ticks of processes that may not be read\n",
		 300.0 / (3 + profile_total_of(p, EVENT_CPU)));
	check(0, 3, expected);
}

TEST(nothing_is_lost)
{
	check(0, 0, "");
}
