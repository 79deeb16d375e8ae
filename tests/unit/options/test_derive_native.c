// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_derive_native.c - what is shown of native code and of the kernel, where that is not said outright.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "kern/trigger.h"

/* --native and --kernel are as they were asked for, or as the target and the other one say. */
TEST(native_and_kernel)
{
	ACCEPT("-a");
	assert_int_equal(o.native, NATIVE_MODE_OFF);
	assert_int_equal(o.kernel, KERNEL_MODE_OFF);
	ACCEPT("-a", "--native", "leaf");
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
	ACCEPT("-a", "--native", "leaf", "--kernel", "off");
	assert_int_equal(o.kernel, KERNEL_MODE_OFF);
	ACCEPT("-a", "--kernel", "syscall");
	assert_int_equal(o.native, NATIVE_MODE_OFF);
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
	ACCEPT("-a", "--kernel", "full");
	assert_int_equal(o.kernel, KERNEL_MODE_FULL);
	REFUSE("--trigger timer", "-a", "--kernel", "full", "--trigger", "timer");
	ACCEPT("--all");
	assert_int_equal(o.native, NATIVE_MODE_FULL);
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
	ACCEPT("--all", "--native", "leaf");
	assert_int_equal(o.native, NATIVE_MODE_LEAF);
	REFUSE("--native off", "--all", "--native", "off");
	REFUSE("only one of", "--all", "-a");
	REFUSE("only one of", "--all", "-p", "1");
	REFUSE("only one of", "--all", "--", "true");
}

AROUND_ALL(NULL, free_options);
