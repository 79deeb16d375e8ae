// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_generation_begin.c - a generation begins when somebody else needs cleared banks, of whose tables
 * generation.c knows nothing. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/generations.h"

static double what_is_full;

static double fullness_of_another(const void *subject)
{
	(void)subject;
	return what_is_full;
}

/* Of which this room knows nothing. */
TEST(begins_when_something_else_is_full)
{
	const struct discover_subject subject = { .fullness = fullness_of_another };

	open_all();
	assert_int_equal(discover_join(discover, &subject), 0);
	what_is_full = 0.75;
	assert_false(generation_begin(&g));
	what_is_full = 0.76;
	g.next_look = 0;
	assert_true(generation_begin(&g));
}

AROUND_EACH(setup, teardown_all);
