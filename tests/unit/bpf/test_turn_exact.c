// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_turn_exact.c - turns of a loop that never sleeps, whose ends are known (bpf/events/turn_exact.h): a
 * long one is counted by itself, many short ones without a pause are saturation, and no time is lost.
 */

#include "tests/forge/test.h"
#include "tests/forge/turns.h"
#include "bpf/events/turn_exact.h"

const volatile __u8 opt_loop_exact = 1;

#define CALL_A 5000 /* nodes */
#define CALL_B 5001

static struct turn turn, all;
static struct wait w;
static __u64 now;

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	memset(&turn, 0, sizeof(turn));
	memset(&all, 0, sizeof(all));
	memset(&w, 0, sizeof(w));
	w.process = w.tid = 77;
	if (hosted_begin())
		return -1;
	now = 1000 * MS;
	turn_begin(&turn, now);
	return 0;
}

/* A turn of so many ms, which a tick has met in this call; 0: no tick has. */
static void goes_round(__u32 call, __u64 ms)
{
	now += ms * MS;
	hosted.scratch->marks.frames = 0;
	if (call && !turn_meets(hosted.scratch, &hosted.stats, &w, &turn, now - MS / 2))
		turn_note(&turn, part_make(call, OUTCOME_WHOLE, 1), 0, 10 * MS);
	exact_end(&hosted.stats, &w, &turn, &all, now);
	turn_begin(&turn, now);
}

/* 90 ms of short turns, of which most have met no tick, and then a long one: they are no part of it. */
TEST(a_long_one_stands_for_itself)
{
	for (int i = 0; i < 45; i++)
		goes_round(i % 5 ? 0 : CALL_A, 2);
	goes_round(CALL_B, 50);
	assert_about(turns_at(CALL_B, WAIT_TURN), 50 * MS);
	assert_int_equal(turns_at(CALL_A, WAIT_TURN) + turns_at(CALL_A, WAIT_SATURATED), 0);
	assert_int_equal(hosted.stats.turns_long, 1);
	assert_int_equal(hosted.stats.loop_ns, 50 * MS);
	exact_drop(&hosted.stats, &all);
	assert_int_equal(hosted.stats.outcome[EVENT_LOOP][OUTCOME_TURN_SHORT], 90 * MS);
	assert_int_equal(hosted.stats.loop_ns, 140 * MS);
}

/* Also those that no tick has met have the lines of the others. */
TEST(many_short_ones_are_saturation)
{
	for (int i = 0; i < 100; i++)
		goes_round(i % 5 ? 0 : i % 2 ? CALL_A : CALL_B, 2);
	assert_about(turns_at(CALL_A, WAIT_SATURATED), 100 * MS);
	assert_about(turns_at(CALL_B, WAIT_SATURATED), 100 * MS);
	assert_int_equal(hosted.stats.turns_saturated, 2);
	assert_int_equal(hosted.stats.turns_long, 0);
	assert_int_equal(hosted.stats.loop_ns, 200 * MS);
}

/* It keeps the loop from a pause as they do. */
TEST(a_long_one_among_short_ones)
{
	for (int i = 0; i < 10; i++) {
		goes_round(CALL_A, 10);
		if (i == 5)
			goes_round(CALL_B, 50);
	}
	assert_about(turns_at(CALL_A, WAIT_SATURATED), 100 * MS);
	assert_about(turns_at(CALL_B, WAIT_TURN), 50 * MS);
	assert_int_equal(turns_at(CALL_B, WAIT_SATURATED), 0);
	assert_int_equal(hosted.stats.loop_ns, 150 * MS);
}

TEST(a_pause_ends_them)
{
	for (int i = 0; i < 10; i++) {
		goes_round(CALL_A, 15);
		if (i % 5 == 4)
			exact_drop(&hosted.stats, &all);
	}
	exact_drop(&hosted.stats, &all);
	assert_int_equal(hosted.stats.outcome[EVENT_LOOP][OUTCOME_TURN_SHORT], 150 * MS);
	assert_int_equal(hosted.stats.turns_saturated + hosted.stats.turns_long, 0);
}

/* What is after the loop, whose frames are not known as it never slept, is not counted meanwhile. */
TEST(who_may_have_left_the_loop)
{
	for (int i = 0; i < 300; i++) {
		now += 10 * MS;
		hosted.scratch->marks.frames = 5;
		assert_false(turn_meets(hosted.scratch, &hosted.stats, &w, &turn, now));
		turn_note(&turn, part_make(CALL_A, OUTCOME_WHOLE, 1), 0, 10 * MS);
	}
	assert_int_equal(hosted.stats.loop_ns, 0);
	goes_round(CALL_A, 10);
	assert_about(turns_at(CALL_A, WAIT_TURN), 3010 * MS);
}

/* Parts of a tree that was emptied are time without a line. */
TEST(the_tree_is_emptied)
{
	for (int i = 0; i < 5; i++)
		goes_round(CALL_A, 10);
	all.generation = 1;
	for (int i = 0; i < 5; i++)
		goes_round(CALL_B, 10);
	assert_int_equal(hosted.stats.loop_ns, 100 * MS);
	assert_about(turns_at(CALL_B, WAIT_SATURATED), 50 * MS);
	assert_about(hosted.stats.outcome[EVENT_LOOP][OUTCOME_TURN_UNSEEN], 50 * MS);
}

TEST(nothing_there)
{
	assert_int_equal(exact_end(&hosted.stats, &w, &turn, NULL, now), 0);
	assert_int_equal(exact_end(&hosted.stats, &w, NULL, &all, now), 0);
	assert_int_equal(exact_end(&hosted.stats, &w, &turn, &all, now - 1), 0);
	assert_int_equal(exact_add(NULL, &turn, now), 0);
	assert_int_equal(hosted.stats.loop_ns + all.begin, 0);
}

AROUND_EACH(setup, hosted_teardown);
