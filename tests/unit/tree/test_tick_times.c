// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tick_times.c - the ticks of a thread share the time that the kernel's account says of it; a thread
 * without a tick has it in a frame of its own; the books go on to count ticks.
 */
#include <errno.h>

#include "tests/forge/tables.h"

#include "base/cleanup.h"
#include "tree/tick_times.h"
#include "tests/forge/test.h"

#define TICK_NS 10000000ULL /* of 100 Hz */

static const struct profile_info timed = {
	.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_WALL),
	.period_ns = TICK_NS, .frequency = 100, .timed = true,
};

static void run_timed(void)
{
	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&timed, &profile), 0);
	assert_int_equal(harvest(&forged_inputs, &(struct harvest_span){}, profile, &stats), 0);
}

/* What stacks with this leaf have. */
static __u64 time_of(const char *leaf, int kind)
{
	__u64 sum = 0;

	for (__u32 id = 1; id <= profile_count(profile, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(profile, id);
		const struct profile_location *l = profile_get_location(profile, s.locations[0]);
		const __u32 name = profile_get_function(profile, l->function)->name;

		if (!strcmp(profile_get_string(profile, name), leaf))
			sum += s.counts[kind];
	}
	return sum;
}

TEST(ticks_share_the_account)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	set_node(27, 26, 101, 4, 1);
	set_node(28, 25, CODE_ACCOUNT, INSTR_UNKNOWN, 880000000);
	set_root(30, 1, 0); /* without an account */
	set_node(31, 30, OUTCOME_NO_LAYOUT, INSTR_UNKNOWN, 5);
	run_timed();
	assert_int_equal(time_of("outer", EVENT_CPU), 3);
	assert_int_equal(time_of("outer", PROFILE_TIME), 660000000);
	assert_int_equal(time_of("outer", EVENT_WALL), 660000000);
	assert_int_equal(time_of("inner", PROFILE_TIME), 220000000);
	assert_int_equal(profile_total_of(profile, EVENT_CPU), 9);
	assert_int_equal(profile_total_of(profile, EVENT_WALL), 880000000 + 5 * TICK_NS);
	/* The books count what was measured: the ticks. */
	assert_int_equal(profile_booked(profile, EVENT_WALL), 9 * TICK_NS);
	assert_int_equal(stats.samples[EVENT_WALL], 9 * TICK_NS);
	assert_int_equal(stats.samples[EVENT_CPU], 9);
}

TEST(no_tick)
{
	set_root(25, 0, 0);
	set_node(26, 25, CODE_ACCOUNT, INSTR_UNKNOWN, 7000);
	set_root(30, 2, 0); /* of a process: its threads have it */
	set_node(31, 30, CODE_ACCOUNT, INSTR_UNKNOWN, 9000);
	run_timed();
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 1);
	assert_int_equal(time_of("[not seen by ticks]", PROFILE_TIME), 7000);
	assert_int_equal(time_of("[not seen by ticks]", EVENT_WALL), 7000);
	assert_int_equal(time_of("[not seen by ticks]", EVENT_CPU), 0);
	assert_int_equal(profile_booked(profile, EVENT_WALL), 0);
}

/* In parts it is the same, and so is what a part of the nodes has. */
TEST(in_parts)
{
	struct harvest_progress progress = {};
	const struct harvest_span parts = { .progress = &progress, .pause_ns = 1 };
	const struct harvest_span some = { .nodes = { 25, 28 } };
	struct tick_times t = {};
	int pauses = 0;

	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 4);
	set_node(27, 25, CODE_ACCOUNT, INSTR_UNKNOWN, 1000);
	set_node(28, 25, 101, 1, 4);
	while (tick_times_find(&t, &forged_inputs, &parts) == -EAGAIN)
		pauses++;
	assert_true(pauses > 0);
	assert_int_equal(t.owners[0].ticks, 8);
	assert_int_equal(tick_times_ns(&t, 0, 2, 77), 250);
	assert_int_equal(tick_times_ns(&t, 1, 2, 77), 77);
	tick_times_free(&t);
	assert_int_equal(tick_times_find(&t, &forged_inputs, &some), 0);
	assert_int_equal(tick_times_ns(&t, 0, 2, 77), 500);
	tick_times_free(&t);
}

AROUND_EACH(setup, teardown);
