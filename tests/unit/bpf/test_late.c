// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_late.c - the time of a sample (bpf/data/budget.h), by a clock that goes on by STEP_NS at each look:
 * native frames have half of it, and do not put off its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bpf/base/loop.h"

#define STEP_NS 5000

static __u64 forged_now;

static __u64 forged_clock(void)
{
	return forged_now += STEP_NS;
}

#define bpf_ktime_get_ns() forged_clock()

#include "tests/forge/unwound.h"

#define PATIENCE 100000

/* A stack of calls as deep as is followed. */
static void make_deep(void)
{
	rules[1] = rule_make(RULE_SP, 1, RULE_SLOT_SAME);
	hosted_regs.pc = in_function(1);
	for (int i = 0; i < WORDS; i++)
		stack[i] = in_function(1);
	load();
}

static struct walk *find_within(__u32 patience)
{
	struct walk *w = &hosted.scratch->walk;

	budget_begin(w, patience);
	forged_now = 0;
	hosted.scratch->unwind.goal = UNWIND_ALL;
	native_find(hosted.scratch, &hosted.stats, &hosted_task, NULL);
	return w;
}

static void native_frames_have_half(void **state)
{
	const struct unwind *u = &hosted.scratch->unwind;
	const struct walk *w;

	(void)state;
	make_deep();
	w = find_within(PATIENCE);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_in_range(u->depth, 1, NATIVE_DEPTH - 1);
	assert_int_equal(w->deadline, STEP_NS + PATIENCE);
	assert_in_range(forged_now, w->deadline - PATIENCE / 2, w->deadline - PATIENCE / 2 + STEP_NS);
}

/* What comes after them ends when the sample's time is over, wherever it was spent. */
static void the_rest_has_the_rest(void **state)
{
	struct walk *w;

	(void)state;
	make_deep();
	w = find_within(PATIENCE);
	while (!walk_step_late(w))
		;
	assert_int_equal(w->end, WALK_LATE);
	assert_in_range(forged_now, STEP_NS + PATIENCE, PATIENCE + 2 * STEP_NS);
}

static void without_end(void **state)
{
	const struct unwind *u = &hosted.scratch->unwind;

	(void)state;
	make_deep();
	find_within(0);
	assert_int_equal(u->depth, NATIVE_DEPTH);
	assert_int_equal(forged_now, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(native_frames_have_half),
		TEST(the_rest_has_the_rest),
		TEST(without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
