// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_options.c - the whole of the parser: --help and --version answer whatever else is missing, how much is
 * logged, and that o can be released at any time.
 */
#include "tests/unit/options/parse_line.h"

static void help_and_version_need_nothing_else(void **state)
{
	(void)state;
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

static void how_much_is_logged(void **state)
{
	(void)state;
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

static void is_released_at_any_time(void **state)
{
	(void)state;
	ACCEPT("-p", "1,2");
	options_free(&o);
	options_free(&o);
	REFUSE("--pid", "-p", "1,");
	options_free(&o);
	options_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_and_version_need_nothing_else),
		cmocka_unit_test(how_much_is_logged),
		cmocka_unit_test(is_released_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, free_options);
}
