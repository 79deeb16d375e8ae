/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * need_kernel.h - the kernel side for tests of what stands above it. Opening it takes a second, so a program
 * does that once. A test that needs it is skipped where loading BPF is not allowed.
 */
#ifndef PYPERF_TESTS_NEED_KERNEL_H
#define PYPERF_TESTS_NEED_KERNEL_H

#include <errno.h>

#include "base/cleanup.h"
#include "kern/kernel.h"
#include "tests/forge/test.h"

static struct kernel *kernel;

/* Opens it for this and later tests, or skips this one. No tick is taken. All tests want the same of it. */
static inline void need_kernel_with(struct kernel_options o)
{
	int err;

	if (kernel)
		return;
	err = kernel_open(&kernel, &o);
	if (err == -EPERM || err == -EACCES || err == -ENOTSUP) {
		print_message("SKIP: %s\n", kernel_reason(kernel));
		kernel_close(TAKE_PTR(kernel));
		skip();
	}
	if (err)
		fail_msg("%s", kernel_reason(kernel));
}

static inline void need_kernel(void)
{
	need_kernel_with((struct kernel_options){
		.needs = NEEDS_TICKS, .frequency = 99, .follow = true, .max_depth = 64 });
}

/* A group's teardown. */
static inline int close_kernel(void **state)
{
	(void)state;
	kernel_close(TAKE_PTR(kernel));
	return 0;
}

#endif
