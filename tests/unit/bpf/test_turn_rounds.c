// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_turn_rounds.c - a loop that goes round without a pause (bpf/events/turn_rounds.h): long calls are
 * counted by themselves, many short ones are saturation, and who has left the loop is in no turn. And the
 * frames by which that is known (bpf/stack/marks.h).
 */

#include "tests/forge/test.h"
#include "tests/forge/turns.h"

#define NODE   5000
#define LOOP   7 /* marks: of the loop, ... */
#define CALL_A 11 /* ... and of what it has called */
#define CALL_B 13

static struct turn turn;
static struct wait w;
static __u64 now;

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	memset(&turn, 0, sizeof(turn));
	memset(&w, 0, sizeof(w));
	w.process = w.tid = 77;
	if (hosted_begin())
		return -1;
	now = 1000 * MS;
	hosted.scratch->marks.frames = 5;
	hosted.scratch->marks.caller = LOOP;
	turn_learn(hosted.scratch, &turn);
	turn_begin(&turn, now);
	return 0;
}

/* Ticks in this call, one each 10 ms. */
static void ticks_in(__u64 call, int times)
{
	for (int i = 0; i < times; i++) {
		now += 10 * MS;
		hosted.scratch->marks.called = call;
		if (!turn_meets(hosted.scratch, &hosted.stats, &w, &turn, now))
			turn_note(&turn, part_make(NODE + call, OUTCOME_WHOLE, 1), 0, 10 * MS);
	}
}

/* The loop waits for events, 10 ms after the last tick. */
static void ends(void)
{
	now += 10 * MS;
	if (turn.begin)
		turn_finish(&hosted.stats, &w, &turn, now - turn.begin);
}

TEST(a_long_call)
{
	ticks_in(CALL_A, 14);
	ends();
	assert_about(turns_at(NODE + CALL_A, WAIT_TURN), 150 * MS);
	assert_int_equal(hosted.stats.turns_long, 1);
	assert_int_equal(hosted.stats.loop_ns, 150 * MS);
}

/* What it has kept others from belongs to the same turn. */
TEST(a_long_call_and_others)
{
	ticks_in(CALL_A, 14);
	ticks_in(CALL_B, 1);
	ends();
	assert_about(turns_at(NODE + CALL_A, WAIT_TURN), 145 * MS);
	assert_about(turns_at(NODE + CALL_B, WAIT_TURN), 15 * MS);
	assert_int_equal(hosted.stats.turns_saturated, 0);
}

/* Two calls in turns, for a second. */
TEST(many_short_calls)
{
	for (int i = 0; i < 50; i++) {
		ticks_in(CALL_A, 1);
		ticks_in(CALL_B, 1);
	}
	ends();
	assert_int_equal(turns_at(NODE + CALL_A, WAIT_TURN) + turns_at(NODE + CALL_B, WAIT_TURN), 0);
	assert_in_range(turns_at(NODE + CALL_A, WAIT_SATURATED), 480 * MS, 530 * MS);
	assert_int_equal(hosted.stats.loop_ns, 1010 * MS);
	assert_int_equal(hosted.stats.turns_long, 0);
	assert_true(hosted.stats.turns_saturated >= 8);
}

TEST(a_long_call_among_many)
{
	for (int i = 0; i < 20; i++)
		ticks_in(i % 2 ? CALL_A : CALL_B, 1);
	ticks_in(17, 9);
	for (int i = 0; i < 20; i++)
		ticks_in(i % 2 ? CALL_A : CALL_B, 1);
	ends();
	assert_in_range(turns_at(NODE + 17, WAIT_TURN), 80 * MS, 100 * MS);
	assert_int_equal(turns_at(NODE + 17, WAIT_SATURATED), 0);
	assert_int_equal(hosted.stats.loop_ns, 500 * MS);
}

/* Up to 100 ms it is one turn, whatever it consists of. */
TEST(a_turn_of_some_calls)
{
	ticks_in(CALL_A, 2);
	ticks_in(CALL_B, 2);
	ends();
	assert_about(turns_at(NODE + CALL_A, WAIT_TURN), 25 * MS);
	assert_about(turns_at(NODE + CALL_B, WAIT_TURN), 25 * MS);
}

TEST(a_short_turn)
{
	ends();
	assert_int_equal(hosted.stats.outcome[EVENT_LOOP][OUTCOME_TURN_SHORT], 10 * MS);
	assert_int_equal(hosted.stats.turns_long, 0);
}

/* It is counted each second, also before it ends. */
TEST(a_call_without_an_end)
{
	ticks_in(CALL_A, 350);
	assert_in_range(hosted.stats.loop_ns, 2900 * MS, 3500 * MS);
	assert_int_equal(turns_at(NODE + CALL_A, WAIT_TURN), hosted.stats.loop_ns);
	ends();
	assert_int_equal(hosted.stats.loop_ns, 3510 * MS);
}

TEST(who_has_left_the_loop)
{
	ticks_in(CALL_A, 1);
	hosted.scratch->marks.caller = LOOP + 2;
	ticks_in(CALL_B, 30);
	ends();
	assert_int_equal(hosted.stats.loop_ns, 0);
}

/* Without frames nothing is known, and a turn is one. */
TEST(unknown_frames)
{
	hosted.scratch->marks.frames = 0;
	ticks_in(CALL_A, 10);
	ticks_in(CALL_B, 10);
	ends();
	assert_about(turns_at(NODE + CALL_A, WAIT_TURN), 105 * MS);
	assert_about(turns_at(NODE + CALL_B, WAIT_TURN), 105 * MS);
}

/* Four frames of which the last stack had two: the same marks, whichever it had. */
TEST(marks)
{
	static struct thread t;
	struct scratch *s = hosted.scratch;
	__u64 caller, called;

	for (int i = 0; i < 4; i++)
		t.cache.frames[i] = (struct cached){ .address = 0x1000 + 0x100 * i, .code = 0x8000 + i };
	for (int i = 0; i < 4; i++)
		s->walk.frames[i] = (struct frame){ .address = t.cache.frames[3 - i].address | FRAME_SINGLE,
						    .code = t.cache.frames[3 - i].code };
	s->marks.depth = 3;
	s->walk.cached.run = 4;
	s->walk.depth = 0;
	marks_take(s, &t);
	caller = s->marks.caller;
	called = s->marks.called;
	assert_int_equal(s->marks.frames, 4);
	assert_true(caller && called && caller != called);
	for (__u32 run = 0; run < 4; run++) {
		s->walk.cached.run = run;
		s->walk.depth = 4 - run;
		marks_take(s, &t);
		assert_int_equal(s->marks.caller, caller);
		assert_int_equal(s->marks.called, called);
	}
	s->marks.depth = 4; /* the loop has called nothing */
	marks_take(s, &t);
	assert_int_equal(s->marks.called, 0);
	s->marks.depth = 0; /* it waits for events */
	marks_take(s, &t);
	assert_int_equal(s->marks.called, 0);
	assert_int_not_equal(s->marks.caller, caller);
	s->marks.depth = 9; /* it is gone */
	marks_take(s, &t);
	assert_int_equal(s->marks.caller, 0);
}

AROUND_EACH(setup, hosted_teardown);
