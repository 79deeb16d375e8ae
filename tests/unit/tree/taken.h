/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * taken.h - profiles that are taken of windows over forged tables, whose banks are cleared in between.
 */
#ifndef PYPERF_TESTS_TREE_TAKEN_H
#define PYPERF_TESTS_TREE_TAKEN_H

#include "tests/forge/windows.h"

static inline __u64 take(struct window *w)
{
	profile_free(TAKE_PTR(profile));
	assert_int_equal(window_take(w, &profile, &stats), 0);
	assert_int_equal(stats.samples[EVENT_CPU], profile_total(profile));
	return stats.samples[EVENT_CPU];
}

static inline struct window *opened(void)
{
	struct window *w = NULL;

	assert_int_equal(window_open(&all, &w), 0);
	return w;
}

static const struct kernel_range banks[BANKS] = { { 1, NODES / 2 }, { NODES / 2, NODES } };

static inline void clear(unsigned int bank)
{
	assert_int_equal(windows_absorb(&all, banks[bank]), 0);
	memset(nodes + banks[bank].first, 0, (banks[bank].end - banks[bank].first) * sizeof(*nodes));
	windows_forget(&all, banks[bank]);
}

/* As at the end of a generation of the tree. */
static inline void renew(unsigned int bank)
{
	windows_move_marks(&all);
	clear(bank);
}

/* The same root and two functions in the second bank. */
#define SECOND (NODES / 2)

static inline void grow_second_tree(void)
{
	set_root(SECOND + 5, 0, 0);
	set_node(SECOND + 6, SECOND + 5, 100, 1, 0);
	set_node(SECOND + 7, SECOND + 6, 101, 4, 0);
}

#endif
