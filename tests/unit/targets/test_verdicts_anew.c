// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_verdicts_anew.c - which processes are to be profiled has changed: nobody stays as he was chosen
 * before, and each is asked about again.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"

#include "kern/processes.h"
#include "targets/selection.h"
#include "targets/verdicts.h"

static struct verdicts *verdicts;
static struct selection selection;

static int teardown(void **state)
{
	verdicts_free(TAKE_PTR(verdicts));
	return close_parts(state);
}

static enum process_state told(const struct record_process *p)
{
	const struct worker_reply r = {
		.type = WORKER_IDENTIFY, .pid = p->pid, .identity.verdict = VERDICT_NOT_PYTHON,
	};

	verdicts_reply(verdicts, p, &r);
	return verdicts_find(verdicts, p->pid);
}

static size_t known_to_the_kernel_side(void)
{
	_cleanup_(processes_list_clear) struct process_list list = {};

	assert_int_equal(kernel_processes(kernel, &list), 0);
	return list.count;
}

TEST(each_is_asked_about_again)
{
	struct record_process a, b;
	__u32 id;

	need_kernel();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &selection, true, NULL, NULL), 0);
	a = process_of(start_child(NULL));
	b = process_of(start_child(NULL));
	selection = (struct selection){ .comm = "nothing-is-called-so" };
	assert_int_equal(told(&a), PROCESS_EXCLUDED);
	selection = (struct selection){ 0 };
	assert_int_equal(told(&b), PROCESS_PROGRAM);
	assert_int_equal(known_to_the_kernel_side(), 2);
	id = registry_after(registry, 0)->id;
	assert_false(registry_find(registry, id)->ended);
	assert_int_equal(verdicts_anew(verdicts), 0);
	assert_int_equal(known_to_the_kernel_side(), 0);
	assert_int_equal(verdicts_count(verdicts), 0);
	assert_true(registry_find(registry, id)->ended); /* its samples keep their names */
	assert_int_equal(told(&a), PROCESS_PROGRAM);
	assert_false(registry_find(registry, registry_after(registry, id)->id)->ended);
}

AROUND_EACH(open_parts, teardown);
AROUND_ALL(NULL, close_kernel);
