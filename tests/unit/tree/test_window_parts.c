// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_window_parts.c - windows that are harvested in parts, one in each turn of the event loop, whatever is
 * counted, taken, opened and cleared in between.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/taken.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"

/* The event loop does a large profile over many turns. What is counted meanwhile is the next one's. */
TEST(is_prepared_in_parts)
{
	struct window *w;
	int parts = 1, err;

	grow_tree();
	grow_second_tree();
	w = opened();
	all.pause_ns = 1;			/* each part is the smallest that there is */
	assert_int_equal(window_prepare(w), 0); /* without a mark there is no end of it */
	nodes[26].count = 5;
	nodes[SECOND + 7].count = 20;
	assert_int_equal(window_mark(w), 0);
	while ((err = window_prepare(w)) == -EAGAIN) {
		nodes[26].count++;
		nodes[SECOND + 7].count++;
		parts++;
	}
	assert_int_equal(err, 0);
	assert_true(parts > 3);
	assert_int_equal(take(w), 25);
	assert_int_equal(stats.locations, 2);
	assert_int_equal(take(w), 2 * (parts - 1));
}

/* All harvests of one turn share its time, and all go on in the next one. */
TEST(a_turn_has_its_time)
{
	struct window *a, *b;
	const __u64 begin = clock_ns();

	grow_tree();
	a = opened();
	b = opened();
	nodes[26].count = 5;
	nodes[27].count = 6;
	assert_int_equal(window_mark(a), 0);
	assert_int_equal(window_mark(b), 0);
	windows_begin_turn(&all);
	assert_in_range(all.pause_ns, begin + WINDOW_PART_NS, clock_ns() + WINDOW_PART_NS);
	usleep(WINDOW_PART_NS / 1000 + 1000);
	assert_int_equal(window_prepare(a), -EAGAIN);
	assert_int_equal(window_prepare(b), -EAGAIN);
	windows_end_turns(&all);
	assert_int_equal(window_prepare(a), 0);
	assert_int_equal(window_prepare(b), 0);
	assert_int_equal(take(a), 11);
	assert_int_equal(take(b), 11);
}

/* However far it is prepared, a bank may be cleared, and its nodes may mean other code objects then. */
TEST(a_bank_is_cleared_between_two_parts)
{
	for (int parts = 0; parts < 6; parts++) {
		struct window *w;

		grow_tree();
		grow_second_tree();
		w = opened();
		nodes[26].count = 5;
		nodes[27].count = 6;
		nodes[SECOND + 7].count = 20;
		assert_int_equal(window_mark(w), 0);
		all.pause_ns = 1;
		for (int i = 0; i < parts; i++)
			window_prepare(w);
		windows_end_turns(&all);
		renew(0);
		set_root(25, 1, 0);
		set_node(26, 25, 101, 4, 0);
		nodes[26].count = 100;
		assert_int_equal(take(w), 31);
		assert_int_equal(take(w), 100);
		assert_string_equal(shown(), "100/101 python3/worker: inner:23 = 100\n");
		window_close(w);
		memset(nodes + EVENT_KINDS, 0, (NODES - EVENT_KINDS) * sizeof(*nodes));
	}
}

/* All windows take a bank's counts in parts, one is taken meanwhile, and another one opened. */
TEST(a_bank_is_absorbed_in_parts)
{
	struct window *a, *b, *c = NULL;
	int parts = 1;

	grow_tree();
	grow_second_tree();
	a = opened();
	b = opened();
	nodes[26].count = 5;
	nodes[27].count = 6;
	windows_move_marks(&all);
	all.pause_ns = 1;
	while (windows_absorb(&all, banks[0]) == -EAGAIN) {
		nodes[SECOND + 7].count++;
		if (parts == 1)
			c = opened();
		if (parts++ == 2)
			assert_int_equal(take(b), 11 + 2);
	}
	assert_true(parts >= 3);
	memset(nodes + banks[0].first, 0, (banks[0].end - banks[0].first) * sizeof(*nodes));
	windows_forget(&all, banks[0]);
	assert_int_equal(take(a), 11 + parts - 1);
	assert_int_equal(take(b), parts - 3);
	assert_int_equal(take(c), parts - 2);
}

AROUND_EACH(setup_windows, teardown_windows);
