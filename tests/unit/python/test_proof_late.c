// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_proof_late.c - proof.c on a machine that is busy: a second passes between any two looks at the clock,
 * and an interpreter that is sound is proved all the same.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "python/proof.h"
#include "tests/forge/interpreter.h"
#include "tests/forge/test.h"

BY_ITSELF("it has a clock_gettime() of its own");

static int looks;

/* In place of the C library's. CPU time passes as it does. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	const int err = syscall(SYS_clock_gettime, clock, ret);

	if (clock == CLOCK_MONOTONIC)
		ret->tv_sec += ++looks;
	return err;
}

TEST(sound_where_others_have_the_cpu)
{
	const char *reason = "";
	struct layout l = cpython_3_11.layout;
	struct py_thread *t;

	l.version = 11 << 16 | 0xf0;
	py_begin_layout(&l);
	t = py_start_this_thread();
	py_push(t, py_code("main"), 3);
	py_push(t, py_code("App.work"), 7);
	assert_int_equal(proof_of_layout(getpid(), &py.l, py_address(py.runtime), &reason), PROOF_HOLDS);
	assert_string_equal(reason, "");
}
