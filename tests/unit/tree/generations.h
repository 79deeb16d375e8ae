/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generations.h - a small call tree of the real kernel side, which is empty, and everything that a generation
 * works on.
 */
#ifndef PYPERF_TESTS_TREE_GENERATIONS_H
#define PYPERF_TESTS_TREE_GENERATIONS_H

#include <poll.h>
#include "tests/forge/fail_malloc.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/logged.h"
#include "base/clock.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "names/codes.h"
#include "proc/procfs.h"
#include "profile/profile.h"
#include "python/layout.h"
#include "symbols/symbols.h"
#include "targets/discover.h"
#include "targets/registry.h"
#include "targets/selection.h"
#include "tree/generation.h"
#include "tree/window.h"

static struct generation g;
static struct codes *codes;
static struct registry *registry;
static struct discover *discover;
static struct symbols *symbols;
static struct worker *worker;
static struct windows all;
static struct window *window;

static inline int setup(void **state)
{
	(void)state;
	g = (struct generation){ 0 };
	all = (struct windows){ 0 };
	return codes_new(&codes, 0) ?: registry_new(&registry) ?: worker_start(&worker, "/nonexistent");
}

static inline int teardown_all(void **state)
{
	while (all.first)
		window_close(all.first);
	symbols_free(TAKE_PTR(symbols));
	discover_free(TAKE_PTR(discover));
	worker_stop(TAKE_PTR(worker));
	registry_free(TAKE_PTR(registry));
	codes_free(TAKE_PTR(codes));
	return teardown(state);
}

static inline void open_all(void)
{
	static const struct selection anybody;
	struct kernel_options o = selected;
	struct discover_parts parts = { .worker = worker, .registry = registry, .selection = &anybody };
	struct symbols_parts of_symbols = { .codes = codes, .registry = registry };

	o.tree_size = 4096;
	o.frequency = 997;
	kernel = parts.kernel = of_symbols.kernel = open_kernel(o);
	assert_int_equal(discover_new(&discover, &parts), 0);
	of_symbols.discover = discover;
	assert_int_equal(symbols_new(&symbols, &of_symbols), 0);
	all = (struct windows){
		.inputs = { .tables = kernel_tables(kernel), .codes = codes, .registry = registry },
		.events = EVENT_BIT(EVENT_CPU),
		.frequency = o.frequency,
	};
	assert_int_equal(window_open(&all, &window), 0);
	g = (struct generation){
		.kernel = kernel,
		.codes = codes,
		.registry = registry,
		.discover = discover,
		.windows = &all,
		.codes_bytes_max = 1 << 20,
	};
}

#endif
