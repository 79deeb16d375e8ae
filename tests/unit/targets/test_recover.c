// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recover.c - the registry is compared with the kernel side's table after records were lost. The
 * interpreter is a real one.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/discovering.h"

#include "kern/process_table.h"
#include "targets/recover.h"
#include "targets/rulings.h"
#include "targets/verdicts.h"

static struct verdicts *verdicts;
static struct recover recover_;

static void begin_recover(void)
{
	static const struct selection everything;

	begin();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &everything, false, NULL,
				      discover_questions(discover)),
			 0);
	recover_ = (struct recover){ kernel, registry, verdicts, 0, true, 0 };
}

static int end_recover(void **state)
{
	verdicts_free(TAKE_PTR(verdicts));
	return teardown(state);
}

static bool every(void *context, struct registry_entry *e)
{
	(void)context;
	(void)e;
	return true;
}

TEST(name_comes_back)
{
	struct process known;
	__u32 pid;

	begin_recover();
	pid = start_interpreter();
	assert_int_equal(kernel_get_process(kernel, pid, &known), 0);
	assert_non_null(registry_find(registry, known.id));
	registry_forget(registry, every, NULL); /* as if there had been no record of it */
	recover_check(&recover_);
	assert_true(recover_.incomplete);
	assert_int_equal(discover_pending(discover), 1);
	take_replies();
	/* Under the number that its samples have. */
	assert_non_null(registry_find(registry, known.id));
	assert_int_equal(registry_find(registry, known.id)->pid, pid);
	assert_non_null(strstr(registry_find(registry, known.id)->binary, "python3"));
	assert_true(registry_find(registry, known.id)->layout >= 0);
	recover_check(&recover_);
	assert_false(recover_.incomplete);
	assert_int_equal(discover_pending(discover), 0);
}

TEST(end_is_seen)
{
	struct registry_entry gone = { .id = 999, .pid = 4000000, .layout = 0, .comm = "gone" };
	struct registry_entry here = { .id = 998, .pid = 4000001, .layout = 0, .comm = "here" };
	const struct process process = { .id = 998, .state = PROCESS_PYTHON };

	begin_recover();
	assert_int_equal(registry_add(registry, &gone), 0);
	assert_int_equal(registry_add(registry, &here), 0);
	assert_int_equal(kernel_set_process(kernel, here.pid, &process), 0);
	recover_check(&recover_);
	assert_true(registry_find(registry, 999)->ended);
	assert_false(registry_find(registry, 998)->ended);
	assert_false(recover_.incomplete);
}

/* Nothing was lost: nothing is compared. */
TEST(nothing_lost)
{
	struct registry_entry gone = { .id = 999, .pid = 4000000, .layout = 0, .comm = "gone" };

	begin_recover();
	recover_.incomplete = false;
	assert_int_equal(registry_add(registry, &gone), 0);
	recover_check(&recover_);
	assert_false(registry_find(registry, 999)->ended);
}

AROUND_EACH(open_parts, end_recover);
