// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_options.c - the whole of the parser: --help and --version answer whatever else is missing, how much is
 * logged, and that o can be released at any time.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"

TEST(help_and_version_need_nothing_else)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		ACCEPT(command_rows[i].name, "--help");
		assert_true(o.help);
		ACCEPT(command_rows[i].name, "--version");
		assert_true(o.version);
	}
	ACCEPT("--help", "--config", "/nowhere");
	ACCEPT("--version", "--config", "/nowhere");
	REFUSE("/nowhere", "-a", "--config", "/nowhere");
}

TEST(how_much_is_logged)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command_row *c = &command_rows[i];

		ACCEPT(c->name, "-h");
		assert_int_equal(options_log_level(&o), c->draws ? LOG_ERROR : LOG_INFO);
		ACCEPT(c->name, "-h", "--quiet");
		assert_int_equal(options_log_level(&o), LOG_ERROR);
		ACCEPT(c->name, "-h", "--verbose");
		assert_int_equal(options_log_level(&o), LOG_DEBUG);
	}
}

TEST(is_released_at_any_time)
{
	ACCEPT("-p", "1,2");
	options_free(&o);
	options_free(&o);
	REFUSE("--pid", "-p", "1,");
	options_free(&o);
	options_free(&o);
}

AROUND_ALL(NULL, free_options);

/* An error is one line of text that fits, whatever is in it. */
TEST(an_error_is_one_line)
{
	char small[8];

	assert_int_equal(options_fail(error, sizeof(error), "%s and %d", "this", 7), -EINVAL);
	assert_string_equal(error, "this and 7");
	options_fail(error, sizeof(error), "%s",
		     "a\nb\033c\x7f"
		     "d\xff");
	assert_string_equal(error, "a?b?c?d\xff");
	options_fail(small, sizeof(small), "%s", "longer than it");
	assert_string_equal(small, "longer ");
}
