// SPDX-License-Identifier: GPL-2.0-only
#include "targets/rulings.h"
#include "tests/forge/test.h"

TEST(by_process_image)
{
	struct rulings *r;
	struct ruling *v;

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
