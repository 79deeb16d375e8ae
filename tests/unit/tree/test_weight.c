// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_weight.c - how much time a sample stands for: all of them together are the time that there was, when
 * ticks are missing too; and what may be chance changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tree/weight.h"

#define BASE { 1000000, 50, 1200000 } /* what was before does not matter */

struct expected {
	__u64 came, dropped, expected;
	__s64 period_ns;
	__u64 wanted; /* 0 = as many as came */
};

static void check(const struct expected *e)
{
	const struct tick_counts from = BASE;
	const struct tick_counts to = { from.came + e->came, from.dropped + e->dropped,
					from.expected + e->expected };
	struct profile_info info = { .ticks_came = 99, .ticks_wanted = 99 };

	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.period_ns, e->period_ns);
	assert_int_equal(info.ticks_wanted, e->wanted);
	assert_int_equal(info.ticks_came, e->wanted ? e->came : 0);
}

static void as_many_as_were_asked_for(void **state)
{
	static const struct expected rows[] = {
		{ 0, 0, 0, 10000000, 0 },	{ 1000, 0, 0, 10000000, 0 }, /* cycles: unknown */
		{ 1000, 0, 1000, 10000000, 0 }, { 1100, 0, 1000, 10000000, 0 },
		{ 900, 0, 1000, 10000000, 0 }, /* the measure is no better than that */
		{ 1, 0, 499, 10000000, 0 },    /* too short to be judged */
		{ 0, 0, 1000, 10000000, 0 },   /* there is no sample that could stand for anything */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}

static void some_are_missing(void **state)
{
	static const struct expected rows[] = {
		{ 899, 0, 1000, 11123470, 1000 },
		{ 500, 0, 1000, 20000000, 1000 },
		{ 100, 0, 1000, 100000000, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}

/* How many those are is known exactly, so one counts, however few ticks there were. */
static void some_were_dropped(void **state)
{
	static const struct expected rows[] = {
		{ 9, 1, 0, 11111111, 10 },
		{ 999, 1, 1000, 10010010, 1000 },
		{ 500, 300, 1000, 20000000, 1000 }, /* and others are missing */
		{ 500, 450, 1000, 19000000, 950 },  /* ... or not */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_were_asked_for),
		cmocka_unit_test(some_are_missing),
		cmocka_unit_test(some_were_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
