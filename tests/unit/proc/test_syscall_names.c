// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_syscall_names.c - names of system calls by the numbers that this machine has for them.
 */
#include <sys/syscall.h>

#include "proc/syscall_names.h"
#include "tests/forge/test.h"

TEST(names_are_those_of_the_headers)
{
	assert_string_equal(syscall_name(SYS_read), "read");
	assert_string_equal(syscall_name(SYS_futex), "futex");
	assert_string_equal(syscall_name(SYS_clone3), "clone3");
	/* On arm64 their numbers have names of their own. */
	assert_string_equal(syscall_name(SYS_mmap), "mmap");
	assert_string_equal(syscall_name(SYS_lseek), "lseek");
	assert_string_equal(syscall_name(SYS_newfstatat), "newfstatat");
}

TEST(a_number_that_is_none_has_no_name)
{
	assert_null(syscall_name(100000));
	assert_null(syscall_name(UINT32_MAX));
}
