// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_window.c - profiles of stretches of time over forged tables: windows that overlap, tables that are
 * cleared meanwhile, bank by bank, memory that runs short. In all of them each count is in each open window
 * exactly once.
 */
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "tests/unit/tree/taken.h"

#include <errno.h>

#include "base/clock.h"

TEST(begins_when_it_is_opened)
{
	struct window *w;

	grow_tree();
	nodes[26].count = 40;
	w = opened();
	assert_int_equal(take(w), 0);
	assert_string_equal(shown(), "");
	nodes[26].count += 2;
	nodes[27].count += 3;
	assert_int_equal(take(w), 5);
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 2\n"
				     "100/100 main-now/main-now: inner:23 < outer:11 = 3\n");
}

TEST(goes_on_after_a_take)
{
	struct window *w;
	__u64 sum = 0;

	grow_tree();
	w = opened();
	for (int i = 1; i <= 10; i++) {
		nodes[26].count += i;
		nodes[0].count += 1; /* the overflow is counted as any other */
		assert_int_equal(take(w), i + 1);
		sum += i + 1;
	}
	assert_int_equal(take(w), 0);
	assert_int_equal(sum, nodes[26].count + nodes[0].count);
}

TEST(windows_overlap)
{
	struct window *a, *b, *c;

	grow_tree();
	a = opened();
	nodes[26].count += 1;
	b = opened();
	nodes[26].count += 10;
	c = opened();
	nodes[27].count += 100;
	assert_int_equal(take(b), 110);
	assert_int_equal(take(a), 111);
	nodes[27].count += 1000;
	window_close(b); /* the one in the middle */
	assert_int_equal(take(c), 1100);
	assert_int_equal(take(a), 1000);
	assert_int_equal(take(c), 0);
}

TEST(nothing_lost_when_a_bank_is_cleared)
{
	struct window *a, *b;

	grow_tree();
	a = opened();
	nodes[26].count = 5;
	b = opened();
	nodes[27].count = 7;
	nodes[0].count = 1;
	renew(0);
	/* Node 6 is something else now, and its count is lower than it was. */
	set_root(26, 1, 0);
	set_node(27, 26, 101, 1, 2);
	assert_int_equal(take(a), 5 + 7 + 1 + 2);
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 5\n"
				     "100/100 main-now/main-now: inner:23 < outer:11 = 7\n"
				     "0/0 /: [table full]:0 = 1\n"
				     "100/101 python3/worker: inner:21 = 2\n");
	assert_int_equal(take(b), 7 + 1 + 2);
	nodes[27].count += 4;
	assert_int_equal(take(a), 4);
	assert_int_equal(take(b), 4);
}

/* What is counted between the mark and the take is the next one's. */
TEST(ends_at_its_mark)
{
	struct window *a, *b;
	__s64 end;

	grow_tree();
	a = opened();
	b = opened();
	nodes[26].count = 5;
	assert_int_equal(window_mark(a), 0);
	nodes[26].count += 2;
	nodes[27].count += 4;
	assert_int_equal(take(a), 5);
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 5\n");
	end = profile_get_info(profile)->start_unix_ns + profile_get_info(profile)->duration_ns;
	assert_int_equal(take(a), 6);
	/* The two clocks may drift apart by what one of them is adjusted meanwhile. */
	assert_true(llabs(profile_get_info(profile)->start_unix_ns - end) < 1000000000);
	assert_int_equal(take(b), 11);
	/* A second mark moves the first. */
	nodes[26].count += 1;
	assert_int_equal(window_mark(a), 0);
	nodes[26].count += 1;
	assert_int_equal(window_mark(a), 0);
	nodes[26].count += 1;
	assert_int_equal(take(a), 2);
	assert_int_equal(take(a), 1);
}

/*
 * In a clearing all of the bank becomes part of the interval, so it ends then, and the other bank's counts
 * too.
 */
TEST(mark_moves_when_a_bank_is_cleared)
{
	struct window *w;

	grow_tree();
	grow_second_tree();
	w = opened();
	nodes[26].count = 5;
	assert_int_equal(window_mark(w), 0);
	nodes[26].count = 7;
	nodes[SECOND + 6].count = 20;
	windows_move_marks(&all);
	nodes[SECOND + 6].count = 100; /* names of these may not be there yet */
	nodes[0].count = 1000;
	clear(0);
	assert_int_equal(take(w), 27);
	assert_int_equal(take(w), 1080);
	assert_int_equal(take(w), 0);
}

TEST(looks_until_it_is_done)
{
	const struct profile *p;
	struct window *w;

	grow_tree();
	w = opened();
	nodes[26].count = 5;
	assert_int_equal(window_look(w, &p, &stats), 0);
	assert_int_equal(profile_total(p), 5);
	nodes[27].count = 2;
	assert_int_equal(window_look(w, &p, &stats), 0);
	assert_int_equal(profile_total(p), 7);
	assert_int_equal(stats.samples[EVENT_CPU], 7);
	nodes[27].count = 12; /* after the look: the next one's */
	window_done(w);
	assert_int_equal(take(w), 10);
}

/*
 * A window may begin, be taken and end at any time between the first count in the new bank and the clearing.
 */
TEST(both_banks_count)
{
	struct window *a, *b, *c;

	grow_tree();
	grow_second_tree();
	a = opened();
	b = opened();
	nodes[26].count = 1;
	nodes[SECOND + 6].count = 10; /* the generation has begun */
	nodes[27].count = 100;	      /* a tick that began before */
	c = opened();
	nodes[SECOND + 6].count += 1000;
	assert_int_equal(take(b), 1111);
	nodes[26].count += 10000;
	renew(0);
	nodes[SECOND + 7].count = 100000;
	assert_int_equal(take(a), 111111);
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 11011\n"
				     "100/100 main-now/main-now: inner:23 < outer:11 = 100100\n");
	assert_int_equal(take(b), 110000);
	assert_int_equal(take(c), 111000);
	/* And back. */
	grow_tree();
	nodes[26].count = 3;
	nodes[SECOND + 6].count += 1;
	renew(1);
	assert_int_equal(take(a), 4);
	assert_int_equal(take(c), 4);
	nodes[26].count += 1;
	assert_int_equal(take(b), 5);
}

TEST(many_generations_are_one_profile)
{
	struct window *w;

	w = opened();
	for (int i = 0; i < 20; i++) {
		grow_tree();
		grow_second_tree();
		nodes[i % 2 ? SECOND + 7 : 27].count = 3;
		nodes[0].count++; /* never cleared */
		renew(i % 2);
	}
	assert_int_equal(take(w), 80);
	assert_string_equal(shown(), "100/100 main-now/main-now: inner:23 < outer:11 = 60\n"
				     "0/0 /: [table full]:0 = 20\n");
}

TEST(says_when_it_was)
{
	__u64 before, after;
	const struct profile_info *info;
	struct window *w;

	before = clock_unix_ns();
	w = opened();
	after = clock_unix_ns();
	all.stop_ns = 0;
	take(w);
	info = profile_get_info(profile);
	assert_int_equal(info->frequency, 100);
	assert_int_equal(info->period_ns, 10000000);
	assert_true((__u64)info->start_unix_ns >= before);
	assert_true((__u64)info->start_unix_ns <= after);
	assert_true(info->duration_ns >= 0 && info->duration_ns < 60000000000LL);
}

static struct tick_counts ticks;

static void count_forged(void *context, struct tick_counts *ret)
{
	assert_ptr_equal(context, &ticks);
	*ret = ticks;
}

/* Of the ticks of its own time, which is that of its mark. */
TEST(samples_stand_for_their_time)
{
	struct window *w;

	ticks = (struct tick_counts){ .came = 100, .expected = 100000 };
	all.count_ticks = count_forged;
	all.context = &ticks;
	grow_tree();
	w = opened();
	nodes[27].count = 500;
	ticks = (struct tick_counts){ .came = 600, .expected = 101000 };
	ticks.cpus[9].expected = 600;
	assert_int_equal(window_mark(w), 0);
	ticks = (struct tick_counts){ .came = 1600, .expected = 102000 };
	assert_int_equal(take(w), 500);
	assert_int_equal(profile_get_info(profile)->period_ns, 20000000);
	assert_int_equal(profile_get_info(profile)->ticks_came, 500);
	assert_int_equal(profile_get_info(profile)->ticks_wanted, 1000);
	assert_int_equal(profile_get_info(profile)->short_cpus[0].cpu, 9);
	assert_int_equal(profile_get_info(profile)->short_cpus[0].wanted, 600);
	take(w); /* none is missing from there on */
	assert_int_equal(profile_get_info(profile)->period_ns, 10000000);
	assert_int_equal(profile_get_info(profile)->ticks_wanted, 0);
}

TEST(time_ends_with_the_ticks)
{
	struct window *w;

	w = opened();
	all.stop_ns = clock_ns() + 100 * NS_PER_SECOND;
	take(w);
	assert_true(profile_get_info(profile)->duration_ns > 99000000000LL);
}

/* However far it came, what was counted is in the window until a take succeeds, and is there once. */
TEST(memory_runs_short)
{
	int failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	grow_tree();
	for (int n = 0;; n++) {
		struct profile *untouched = (void *)&failures, *p = untouched;
		struct window *w = opened();
		int err;

		nodes[0].count += 1;
		nodes[26].count += 3;
		nodes[27].count += 5;
		allocations_left = n;
		err = window_take(w, &p, &stats);
		allocations_left = -1;
		if (!err) {
			assert_int_equal(profile_total(p), 9);
			profile_free(p);
			break;
		}
		failures++;
		assert_int_equal(err, -ENOMEM);
		assert_ptr_equal(p, untouched);
		nodes[27].count += 1;
		assert_int_equal(take(w), 10);
		assert_int_equal(take(w), 0);
		window_close(w);
	}
	assert_true(failures > 10);
	allocations_left = 0;
	assert_int_equal(window_open(&all, &(struct window *){ NULL }), -ENOMEM);
	allocations_left = -1;
}

/* What comes after a mark whose profile failed is in the next one, which may be the last. */
TEST(without_memory_the_mark_goes)
{
	int failures = 0, err = -ENOMEM;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	grow_tree();
	for (int n = 0; err; n++) {
		struct window *w = opened();

		nodes[0].count += 1;
		nodes[26].count += 3;
		assert_int_equal(window_mark(w), 0);
		nodes[27].count += 5;
		allocations_left = n;
		err = window_prepare(w);
		allocations_left = -1;
		nodes[27].count += 7;
		assert_int_equal(take(w), err ? 16 : 4);
		assert_int_equal(take(w), err ? 0 : 12);
		window_close(w);
		failures += err == -ENOMEM;
	}
	assert_true(failures > 10);
}

/*
 * One window without memory does not keep the others from theirs, and the next attempt counts nothing twice.
 */
TEST(absorbs_without_memory_says_so)
{
	struct window *w;
	int failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	grow_tree();
	w = opened();
	for (int n = 0;; n++) {
		int err;

		nodes[26].count += 3;
		nodes[27].count += 5;
		allocations_left = n;
		err = windows_absorb(&all, banks[0]);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		failures++;
	}
	assert_true(failures > 3); /* each goes on where the one before it had to stop */
	renew(0);
	assert_int_equal(take(w), 8 * (failures + 1));
}

AROUND_EACH(setup_windows, teardown_windows);
