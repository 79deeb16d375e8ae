/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * windows.h - windows over forged tables (tables.h), all closed after the test.
 */
#ifndef PYPERF_TESTS_FORGE_WINDOWS_H
#define PYPERF_TESTS_FORGE_WINDOWS_H

#include "tests/forge/tables.h"
#include "tree/window.h"

static struct windows all;

static inline int setup_windows(void **state)
{
	int err = setup(state);

	all = (struct windows){ .inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100 };
	return err;
}

static inline int teardown_windows(void **state)
{
	while (all.first)
		window_close(all.first);
	return teardown(state);
}

/* A root and two functions, outer and inner called from there. */
static inline void grow_tree(void)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_node(27, 26, 101, 4, 0);
}

#endif
