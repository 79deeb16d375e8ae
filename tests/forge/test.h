/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - what a unit test is written with: cmocka's assertions, and TEST(), which also puts the test into
 * the list of the program that it is linked into (run_tests.c).
 *
 *	TEST(name) { ... }			a test, of the one promise that its name says
 *	TEST(name, .setup = s, .teardown = t)	one with its own functions around it, or with one
 *	TEST(name, .bare = true)		without any
 *	AROUND_EACH(setup, teardown);		around each other test of the file
 *	AROUND_ALL(begin, end);			before its first and behind its last test
 *	ENDS_IN(seconds);			should one of the file hang, it ends by a signal
 *	BY_ITSELF("why");			the file is a program of its own
 *
 * The functions around tests are cmocka's fixtures, NULL for none. Tests run in the order of the file, and
 * each file in a process of its own.
 */
#ifndef PYPERF_TESTS_FORGE_TEST_H
#define PYPERF_TESTS_FORGE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

/* A row of the list. One without a name has what is around all tests of its file, or around each. */
struct unit_test {
	const char *file, *name; /* "tests/unit/tree/test_window.c" */
	int line;
	bool each, bare;
	CMUnitTestFunction test;
	CMFixtureFunction setup, teardown;
};

/* The linker gives the begin and the end of a section of such a name. */
#define LISTED(id, ...)                                                  \
	static const struct unit_test row_of_##id = {                    \
		.file = __BASE_FILE__, .line = __LINE__, __VA_ARGS__     \
	};                                                               \
	static const struct unit_test *listed_##id                       \
		__attribute__((used, section("unit_tests"))) = &row_of_##id

#define TEST(id, ...)                                                    \
	static void id(void **state);                                    \
	LISTED(id, .name = #id, .test = id __VA_OPT__(, ) __VA_ARGS__);  \
	static void id(__attribute__((unused)) void **state)

#define AROUND_EACH(before, after) LISTED(each_test, .each = true, .setup = (before), .teardown = (after))
#define AROUND_ALL(before, after)  LISTED(all_tests, .setup = (before), .teardown = (after))

/* The place of AROUND_ALL(): a file has one of the two. */
#define ENDS_IN(seconds)                                                 \
	static int end_in_time(void **state)                             \
	{                                                                \
		(void)state;                                             \
		alarm(seconds);                                          \
		return 0;                                                \
	}                                                                \
	AROUND_ALL(end_in_time, NULL)

/* The Makefile looks for it. */
#define BY_ITSELF(why) _Static_assert(sizeof(why) > 1, "a reason")

#endif
