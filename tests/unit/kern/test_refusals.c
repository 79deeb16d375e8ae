// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_refusals.c - a user for whom there was no room is known for a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kern/refusals.h"

static void for_a_second(void **state)
{
	struct refusals r = {};
	__u64 begin;

	(void)state;
	assert_false(refusals_has(&r, 0));
	assert_false(refusals_has(&r, 7));
	begin = clock_ns();
	refusals_add(&r, 7);
	while (refusals_has(&r, 7))
		usleep(1000);
	assert_true(clock_ns() >= begin + NS_PER_SECOND);
	assert_false(refusals_has(&r, 7));
}

/* However many there are: the last one is known, and none that never was. */
static void of_many(void **state)
{
	struct refusals r = {};

	(void)state;
	for (__u64 user = 1; user <= 1000; user++) {
		refusals_add(&r, user);
		assert_true(refusals_has(&r, user));
		assert_false(refusals_has(&r, user + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_a_second),
		cmocka_unit_test(of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
