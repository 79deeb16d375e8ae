// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_late.c - the time of a sample (bpf/data/budget.h), by a clock that goes on by STEP_NS at each look:
 * native frames have half of it, and do not put off its end.
 */

#include "bpf/base/loop.h"
#include "tests/forge/test.h"

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

TEST(native_frames_have_half)
{
	const struct unwind *u = &hosted.scratch->unwind;
	const struct walk *w;

	make_deep();
	w = find_within(PATIENCE);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_in_range(u->depth, 1, NATIVE_DEPTH - 1);
	assert_int_equal(w->deadline, STEP_NS + PATIENCE);
	assert_in_range(forged_now, w->deadline - PATIENCE / 2, w->deadline - PATIENCE / 2 + STEP_NS);
}

/* What comes after them ends when the sample's time is over, wherever it was spent. */
TEST(the_rest_has_the_rest)
{
	struct walk *w;

	make_deep();
	w = find_within(PATIENCE);
	while (!walk_step_late(w))
		;
	assert_int_equal(w->end, WALK_LATE);
	assert_in_range(forged_now, STEP_NS + PATIENCE, PATIENCE + 2 * STEP_NS);
}

TEST(without_end)
{
	const struct unwind *u = &hosted.scratch->unwind;

	make_deep();
	find_within(0);
	assert_int_equal(u->depth, NATIVE_DEPTH);
	assert_int_equal(forged_now, 0);
}

AROUND_EACH(setup, NULL);
