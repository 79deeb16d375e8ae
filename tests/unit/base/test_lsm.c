// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lsm.c - what Yama's file says, and that nonsense in it, or no file, is no scope. A kernel can be
 * locked down only in a machine of its own (tests/guest/pod.sh).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lsm.h"
#include "tests/forge/test.h"

static int scope_of(const char *text)
{
	char path[] = "/tmp/ptrace_scope.XXXXXX";
	const int fd = mkstemp(path);
	int scope;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	scope = lsm_yama_scope(path);
	unlink(path);
	return scope;
}

TEST(scopes)
{
	assert_int_equal(scope_of("0\n"), 0);
	assert_int_equal(scope_of("1\n"), 1);
	assert_int_equal(scope_of("3\n"), 3);
	assert_int_equal(scope_of("4\n"), -1);
	assert_int_equal(scope_of("-2\n"), -1);
	assert_int_equal(scope_of("one\n"), -1);
	assert_int_equal(scope_of(""), -1);
	assert_int_equal(lsm_yama_scope("/tmp/no/such/file"), -1);
}
