// SPDX-License-Identifier: GPL-2.0-only
/* test_asked_lately.c - a thing is asked for once in half a second, and again as soon as it was answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "symbols/asked_lately.h"

static void once_until_it_is_answered(void **state)
{
	struct asked_lately a = { 0 };

	(void)state;
	assert_false(asked_lately(&a, 7));
	assert_true(asked_lately(&a, 7));
	assert_false(asked_lately(&a, 8));
	asked_lately_forget(&a, 7);
	assert_false(asked_lately(&a, 7));
	assert_true(asked_lately(&a, 8));
}

static void again_after_a_while(void **state)
{
	const __u64 begin = clock_ms();
	struct asked_lately a = { 0 };

	(void)state;
	assert_false(asked_lately(&a, 7));
	while (asked_lately(&a, 7)) {
		assert_true(clock_ms() - begin < 20 * ASKED_LATELY_MS);
		usleep(10000);
	}
	assert_true(clock_ms() - begin >= ASKED_LATELY_MS);
}

/* What has no room is asked for too often, and what is said to be answered is that alone. */
static void two_in_one_place(void **state)
{
	struct asked_lately a = { 0 };

	(void)state;
	assert_false(asked_lately(&a, 7));
	assert_false(asked_lately(&a, 7 + ASKED_LATELY));
	assert_false(asked_lately(&a, 7));
	asked_lately_forget(&a, 7 + ASKED_LATELY);
	assert_true(asked_lately(&a, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_until_it_is_answered),
		cmocka_unit_test(again_after_a_while),
		cmocka_unit_test(two_in_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
