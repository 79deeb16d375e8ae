// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_verdicts_twice.c - a process that was asked about twice keeps what was found in it between both
 * answers.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"

#include "kern/process_table.h"
#include "targets/selection.h"
#include "targets/verdicts.h"

static struct verdicts *verdicts;
static struct selection selection;

static int teardown(void **state)
{
	verdicts_free(TAKE_PTR(verdicts));
	return close_parts(state);
}

TEST(answered_twice)
{
	struct worker_reply r = { .type = WORKER_IDENTIFY };
	struct record_process target;
	struct process p, again;

	need_kernel();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &selection, false, NULL, NULL), 0);
	target = process_of(start_child(NULL));
	r.pid = target.pid;
	r.identity.verdict = VERDICT_PYTHON;
	r.identity.hexversion = 0x030d00f0;
	r.identity.runtime = 0x7f0000001000;
	r.identity.layout = layout_find(0x030d00f0)->layout;
	verdicts_reply(verdicts, &target, &r);
	assert_int_equal(kernel_get_process(kernel, target.pid, &p), 0);
	assert_int_equal(p.contexts, 0);
	p.contexts = 3;
	assert_int_equal(kernel_set_process(kernel, target.pid, &p), 0);
	verdicts_reply(verdicts, &target, &r);
	assert_int_equal(kernel_get_process(kernel, target.pid, &again), 0);
	assert_int_equal(again.id, p.id);
	assert_int_equal(again.contexts, 3);
}

AROUND_EACH(open_parts, teardown);
