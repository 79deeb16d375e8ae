/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discovering.h - a real discovery over the parts of parts.h, which takes every process.
 */
#ifndef PYPERF_TESTS_TARGETS_DISCOVERING_H
#define PYPERF_TESTS_TARGETS_DISCOVERING_H

#include "targets/discover.h"
#include "targets/selection.h"
#include "tests/unit/targets/parts.h"

static struct discover *discover;

static int teardown(void **state)
{
	discover_free(TAKE_PTR(discover));
	return close_parts(state);
}

/* Opens the kernel side, too, or skips the test. */
static void begin(void)
{
	static const struct selection everything;
	struct discover_parts parts = {
		.worker = worker, .codes = codes, .registry = registry, .selection = &everything,
	};

	need_kernel();
	parts.kernel = kernel;
	assert_int_equal(discover_new(&discover, &parts), 0);
}

#endif
