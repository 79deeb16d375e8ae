// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_no_libcurl.c - the static build of a release: it opens no library, and says which build to take.
 */
#include <dlfcn.h>
#include <errno.h>

#include "tests/forge/test.h"

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

TEST(nothing_is_opened)
{
	assert_int_equal(libcurl_open(), -ENOSYS);
	assert_int_equal(opened, 0);
	assert_non_null(strstr(libcurl_strerror(-ENOSYS), "this build is static"));
}

BY_ITSELF("it has a dlopen() of its own in what it compiles");
