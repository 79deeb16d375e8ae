// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_turn_parts.c - turns of event loops (bpf/events/turn_parts.h): all of a long turn is counted, waits
 * have the time that was measured, ticks share the rest, and what has no node has a marker.
 */

#define HOSTED_NODES (1U << 13)
#define HOSTED_CODES (1U << 10)

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "bpf/events/turn_parts.h"
#include "tests/forge/test.h"

#define TICK  (10U << TURN_UNIT_SHIFT) /* ns of one */
#define FIRST 5000		       /* a node */

static struct turn turn;
static struct wait w;

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	memset(&turn, 0, sizeof(turn));
	memset(&w, 0, sizeof(w));
	w.process = w.tid = 77;
	turn_begin(&turn, 1);
	return hosted_begin();
}

static void tick(__u32 node)
{
	turn_note(&turn, part_make(node, OUTCOME_WHOLE, 1), 0, TICK);
}

static void sleeps(__u32 node, __u64 ns)
{
	turn_note(&turn, node ? part_make(node, OUTCOME_WHOLE, 0) : 0, 0, ns);
}

/* What is counted as time of turns at this node. */
static __u64 at(__u32 node)
{
	__u32 above = node_add(&hosted.stats, 0, node, CODE_WAITS + WAIT_TURN);

	return hosted.nodes[above].count;
}

static __u64 in_books(enum outcome outcome)
{
	return hosted.stats.outcome[EVENT_LOOP][outcome];
}

TEST(ticks_share_what_is_no_wait)
{
	tick(FIRST);
	tick(FIRST + 1);
	tick(FIRST);
	sleeps(FIRST + 2, 100 << TURN_UNIT_SHIFT);
	turn_count(&hosted.stats, &w, &turn, 400 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST), 200 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST + 1), 100 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST + 2), 100 << TURN_UNIT_SHIFT);
	assert_int_equal(in_books(OUTCOME_WHOLE), 400 << TURN_UNIT_SHIFT);
	assert_int_equal(hosted.stats.loop_ns, 400 << TURN_UNIT_SHIFT);
	assert_int_equal(hosted.stats.turns_long, 1);
}

/* Not a nanosecond is lost by rounding. */
TEST(all_is_counted)
{
	const __u64 ns = 123456789;
	__u64 sum = 0;

	for (int i = 0; i < 7; i++)
		tick(FIRST + i);
	sleeps(FIRST + 7, 1000001);
	turn_count(&hosted.stats, &w, &turn, ns);
	for (int i = 0; i < 8; i++)
		sum += at(FIRST + i);
	assert_int_equal(sum, ns);
	assert_int_equal(in_books(OUTCOME_WHOLE), ns);
}

TEST(without_a_tick)
{
	sleeps(FIRST, 100 << TURN_UNIT_SHIFT);
	turn_count(&hosted.stats, &w, &turn, 400 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST), 100 << TURN_UNIT_SHIFT);
	assert_int_equal(in_books(OUTCOME_TURN_UNSEEN), 300 << TURN_UNIT_SHIFT);
}

/* A wait whose stack is not known is not shared by the ticks. */
TEST(a_wait_without_a_stack)
{
	tick(FIRST);
	sleeps(0, 100 << TURN_UNIT_SHIFT);
	turn_count(&hosted.stats, &w, &turn, 400 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST), 300 << TURN_UNIT_SHIFT);
	assert_int_equal(in_books(OUTCOME_TURN_UNSEEN), 100 << TURN_UNIT_SHIFT);
}

/* Nodes of a tree that was emptied are others by now. */
TEST(a_tree_that_is_gone)
{
	turn_note(&turn, part_make(FIRST, OUTCOME_WHOLE, 0), 2, 100 << TURN_UNIT_SHIFT);
	tick(FIRST + 1);
	turn_count(&hosted.stats, &w, &turn, 400 << TURN_UNIT_SHIFT);
	assert_int_equal(at(FIRST), 0);
	assert_int_equal(at(FIRST + 1), 300 << TURN_UNIT_SHIFT);
	assert_int_equal(in_books(OUTCOME_TURN_UNSEEN), 100 << TURN_UNIT_SHIFT);
}

TEST(an_outcome_stays_with_its_part)
{
	turn_note(&turn, part_make(FIRST, OUTCOME_TRUNCATED, 1), 0, TICK);
	turn_count(&hosted.stats, &w, &turn, 1 << 25);
	assert_int_equal(in_books(OUTCOME_TRUNCATED), 1 << 25);
}

#define TURNS 4000

/* More lines than there is room for: all time is counted, and each line has its share over many turns. */
TEST(more_parts_than_room)
{
	const __u64 each = (__u64)TURNS * TICK;

	for (int n = 0; n < TURNS; n++) {
		turn_begin(&turn, 1);
		for (int i = 0; i < 3 * TURN_PARTS; i++)
			tick(FIRST + (i + n) % (3 * TURN_PARTS));
		turn_count(&hosted.stats, &w, &turn, 3 * TURN_PARTS * TICK);
	}
	assert_int_equal(hosted.stats.loop_ns, 3 * TURN_PARTS * each);
	for (int i = 0; i < 3 * TURN_PARTS; i++)
		assert_in_range(at(FIRST + i), each - each / 5, each + each / 5);
}

/* Who waits further down the stack is in a turn of the loop, for a while. */
TEST(the_loops_own_wait)
{
	assert_true(turn_is_own(&turn, 1000));
	assert_true(turn_is_own(&turn, 1000));
	turn_begin(&turn, 5);
	assert_false(turn_is_own(&turn, 900));
	assert_int_equal(turn.begin, 5);
	assert_true(turn_is_own(&turn, 1000));
	assert_int_equal(turn.begin, 5);
	/* That was the inner one: the turn was none of this loop. */
	assert_true(turn_is_own(&turn, 1100));
	assert_int_equal(turn.begin, 0);
	for (int i = 1; i < TURN_DEEPER; i++)
		assert_false(turn_is_own(&turn, 900));
	assert_true(turn_is_own(&turn, 900));
	assert_true(turn_is_own(&turn, 900));
}

AROUND_EACH(setup, hosted_teardown);
