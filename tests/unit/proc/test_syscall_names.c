// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_syscall_names.c - names of system calls by the numbers that this machine has for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "proc/syscall_names.h"

static void names_are_those_of_the_headers(void **state)
{
	(void)state;
	assert_string_equal(syscall_name(SYS_read), "read");
	assert_string_equal(syscall_name(SYS_futex), "futex");
	assert_string_equal(syscall_name(SYS_clone3), "clone3");
	/* On arm64 their numbers have names of their own. */
	assert_string_equal(syscall_name(SYS_mmap), "mmap");
	assert_string_equal(syscall_name(SYS_lseek), "lseek");
	assert_string_equal(syscall_name(SYS_newfstatat), "newfstatat");
}

static void a_number_that_is_none_has_no_name(void **state)
{
	(void)state;
	assert_null(syscall_name(100000));
	assert_null(syscall_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_headers),
		cmocka_unit_test(a_number_that_is_none_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
