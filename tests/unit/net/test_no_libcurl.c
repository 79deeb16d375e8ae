// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_no_libcurl.c - the static build of a release: it opens no library, and says which build to take.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int opened;

static void *open_library(const char *name, int flags)
{
	opened++;
	return dlopen(name, flags);
}

#define OPEN_LIBCURL
#define NO_LIBCURL
#define dlopen open_library
#include "user/net/libcurl.c"

static void nothing_is_opened(void **state)
{
	(void)state;
	assert_int_equal(libcurl_open(), -ENOSYS);
	assert_int_equal(opened, 0);
	assert_non_null(strstr(libcurl_strerror(-ENOSYS), "this build is static"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
