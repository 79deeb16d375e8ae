// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/clock.h"
#include "targets/rulings.h"

#define MS     1000000ULL
#define SECOND (1000 * MS)

static void by_process_image(void **state)
{
	struct rulings *r;
	struct ruling *v;

	(void)state;
	rulings_free(NULL);
	assert_int_equal(rulings_new(&r), 0);
	assert_null(rulings_find(r, 10));
	rulings_forget(r, 10);
	v = rulings_get(r, 10, 100, 1);
	v->state = PROCESS_NO_LAYOUT;
	v->refusals = 3;
	v->unproved_since = 5;
	for (__u32 pid = 11; pid < 500; pid++)
		assert_non_null(rulings_get(r, pid, 100, 1));
	assert_ptr_equal(rulings_get(r, 10, 100, 1), v);
	assert_int_equal(rulings_find(r, 10)->state, PROCESS_NO_LAYOUT);
	/* After an exec, and in another process with that pid, nothing is known. */
	v = rulings_get(r, 10, 100, 2);
	assert_true(!v->state && !v->refusals && !v->unproved_since);
	v->state = PROCESS_PYTHON;
	assert_int_equal(rulings_get(r, 10, 101, 2)->state, 0);
	rulings_forget(r, 10);
	assert_null(rulings_find(r, 10));
	assert_non_null(rulings_find(r, 11));
	rulings_free(r);
}

static __u64 begin;

/* The machine may have stood still since `begin`. */
static void after(__u64 when, __u64 pause)
{
	__u64 now = clock_ns();

	assert_true(when >= begin + pause);
	assert_true(when <= now + pause + (now - begin));
	begin = now;
}

static void pauses(void **state)
{
	struct ruling v = { 0 };

	(void)state;
	begin = clock_ns();
	after(ruling_check_again(begin), 20 * MS);
	after(ruling_check_again(begin + SECOND), 20 * MS);
	after(ruling_check_again(begin - 4 * SECOND), 4 * SECOND);
	after(ruling_check_again(0), begin < 30 * SECOND ? begin : 30 * SECOND);
	for (__u64 pause = 20 * MS; pause < 30 * SECOND; pause *= 2)
		after(ruling_check_refused(&v), pause);
	for (int i = 0; i < 100; i++)
		after(ruling_check_refused(&v), 30 * SECOND);
	v.unproved_since = begin;
	after(ruling_check_unproved(&v), 2 * MS);
	v.unproved_since = begin - 4 * SECOND;
	after(ruling_check_unproved(&v), SECOND);
}

static bool waits(__u32 hexversion, const char *note, __u64 since)
{
	struct identity i = { .verdict = VERDICT_UNPROVED, .hexversion = hexversion };
	struct ruling v = { .unproved_since = since };

	snprintf(i.reason, sizeof(i.reason), "%s", note);
	return ruling_waits_for_proof(&v, &i);
}

static void patience(void **state)
{
	struct identity i = { .verdict = VERDICT_PYTHON, .hexversion = 0x030d00f0 };
	__u64 long_ago = clock_ns() - 2 * SECOND;
	struct ruling v = { 0 };

	(void)state;
	assert_false(ruling_waits_for_proof(&v, &i));
	i.verdict = VERDICT_NO_LAYOUT;
	assert_false(ruling_waits_for_proof(&v, &i));
	assert_int_equal(v.unproved_since, 0);
	i.verdict = VERDICT_UNPROVED;
	assert_true(ruling_waits_for_proof(&v, &i));
	assert_true(v.unproved_since > long_ago);
	/* A second later a release that is known is used; one that is not, or looks unusual, never is. */
	assert_false(waits(0x030d00f0, "", long_ago));
	assert_false(waits(0x030b02f0, "", long_ago));
	assert_true(waits(0x030d00f0, "debug offsets: unusual interpreter_state.next", long_ago));
	assert_true(waits(0x030d00a1, "", long_ago));
	assert_true(waits(0x030dfff0, "", long_ago));
	assert_true(waits(0x03ff00f0, "", long_ago));
	assert_true(waits(0, "", long_ago));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_process_image),
		cmocka_unit_test(pauses),
		cmocka_unit_test(patience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
