// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_expected.c - processes that have only begun are looked at again when that is due, and not for ever.
 */
#include "tests/unit/targets/discovering.h"

#include "base/loop.h"
#include "targets/expected.h"
#include "targets/verdicts.h"

static struct expected expected;
static struct verdicts *verdicts;
static struct loop loop;

static int setup(void **state)
{
	expected = (struct expected){ 0 };
	return open_parts(state) ?: loop_open(&loop, 3600000);
}

static int end(void **state)
{
	loop_close(&loop);
	verdicts_free(TAKE_PTR(verdicts));
	return teardown(state);
}

static struct record_process process(__u32 pid)
{
	return (struct record_process){ .pid = pid, .start_time = 5, .exec_id = 2 };
}

AROUND_EACH(setup, end);
AROUND_ALL(NULL, close_kernel);

TEST(is_asked_about_again)
{
	static const struct selection everything;
	struct record_process p;

	begin();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &everything, false, NULL,
				      discover_questions(discover)),
			 0);
	expected.verdicts = verdicts;
	assert_int_equal(expected_watch(&expected, &loop), 0);
	p = process_of(getpid());
	expected_add(&expected, &p);
	assert_int_equal(loop_turn(&loop, 0), 0); /* the first answer is still to come */
	assert_int_equal(discover_pending(discover), 0);
	assert_true(expected_again(&expected, &p));
	while (!discover_pending(discover))
		assert_int_equal(loop_turn(&loop, -1), 0);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_int_equal(discover_pending(discover), 1); /* once */
	take_replies();
	expected_forget(&expected, p.pid);
	assert_false(expected_again(&expected, &p));
}

TEST(another_image_is_another_one)
{
	struct record_process p = process(7), other = process(7);

	other.exec_id++;
	expected_add(&expected, &p);
	assert_false(expected_again(&expected, &other));
	expected_add(&expected, &other); /* takes its place */
	assert_int_equal(expected.count, 1);
	assert_false(expected_again(&expected, &p));
	assert_true(expected_again(&expected, &other));
}

TEST(has_its_time)
{
	struct record_process p = process(7);

	expected_add(&expected, &p);
	expected.processes[0].since -= NS_PER_SECOND;
	assert_false(expected_again(&expected, &p));
	assert_int_equal(expected.count, 0);
}

TEST(there_are_few)
{
	struct record_process p;

	for (__u32 pid = 1; pid <= EXPECTED_MAX + 1; pid++) {
		p = process(pid);
		expected_add(&expected, &p);
	}
	assert_int_equal(expected.count, EXPECTED_MAX);
	assert_false(expected_again(&expected, &p));
	expected_forget(&expected, 1);
	expected_add(&expected, &p);
	assert_true(expected_again(&expected, &p));
	p = process(2);
	assert_true(expected_again(&expected, &p));
}
