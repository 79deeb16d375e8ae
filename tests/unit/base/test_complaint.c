// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_complaint.c - trouble that lasts makes one line when it begins and one when it is over, however often
 * either is said.
 */
#include <string.h>

#include "base/complaint.h"
#include "base/log.h"
#include "tests/forge/logged.h"
#include "tests/forge/test.h"

TEST(said_once_and_when_it_is_over)
{
	struct complaint c = {};

	assert_string_equal(LOGGED(complaint_over(&c, "fine")), "");
	assert_string_equal(LOGGED(complain(&c, "bad: %s %d", "x", 1)), "pyperf-bpf: warning: bad: x 1\n");
	assert_true(c.stands);
	assert_string_equal(LOGGED(complain(&c, "bad: %s %d", "y", 2)), "");
	assert_string_equal(LOGGED(complaint_over(&c, "fine, %d", 3)), "pyperf-bpf: fine, 3\n");
	assert_false(c.stands);
	assert_string_equal(LOGGED(complaint_over(&c, "fine, %d", 4)), "");
	assert_string_equal(LOGGED(complain(&c, "again")), "pyperf-bpf: warning: again\n");
}

TEST(may_end_without_a_word)
{
	struct complaint c = {};

	assert_string_equal(LOGGED(complain(&c, "bad")), "pyperf-bpf: warning: bad\n");
	assert_string_equal(LOGGED(complaint_over(&c, NULL)), "");
	assert_string_equal(LOGGED(complain(&c, "bad")), "pyperf-bpf: warning: bad\n");
}

TEST(one_does_not_hide_another)
{
	struct complaint first = {}, second = {};

	assert_string_equal(LOGGED(complain(&first, "1")), "pyperf-bpf: warning: 1\n");
	assert_string_equal(LOGGED(complain(&second, "2")), "pyperf-bpf: warning: 2\n");
	assert_string_equal(LOGGED(complaint_over(&first, "over")), "pyperf-bpf: over\n");
	assert_true(second.stands);
}

/* What --quiet keeps back was said nevertheless: it does not come later. */
TEST(counts_as_said_when_it_is_not_shown)
{
	struct complaint c = {};

	log_set_level(LOG_ERROR);
	assert_string_equal(LOGGED(complain(&c, "bad")), "");
	assert_true(c.stands);
	log_set_level(LOG_INFO);
	assert_string_equal(LOGGED(complain(&c, "bad")), "");
	assert_string_equal(LOGGED(complaint_over(&c, "fine")), "pyperf-bpf: fine\n");
}
