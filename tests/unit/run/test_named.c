// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_named.c - what is said of a thread that --pid names.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "run/named.h"
#include "tests/forge/logged.h"

#define NOBODY 0x7ffffff0

struct seen {
	pthread_barrier_t begun, ends;
	pid_t tid;
};

static void *live(void *seen)
{
	struct seen *s = seen;

	s->tid = gettid();
	pthread_barrier_wait(&s->begun);
	pthread_barrier_wait(&s->ends);
	return NULL;
}

static void a_thread_is_none(void **state)
{
	char expected[128];
	pthread_t thread;
	struct seen s;
	int err = 0;

	(void)state;
	pthread_barrier_init(&s.begun, NULL, 2);
	pthread_barrier_init(&s.ends, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, live, &s), 0);
	pthread_barrier_wait(&s.begun);
	snprintf(expected, sizeof(expected),
		 "pyperf-bpf: error: %d is a thread of process %d: name the process, --pid %d\n", s.tid,
		 getpid(), getpid());
	assert_string_equal(LOGGED(err = named_check((pid_t[]){ getppid(), s.tid }, 2)), expected);
	assert_int_equal(err, -EINVAL);
	pthread_barrier_wait(&s.ends);
	pthread_join(thread, NULL);
}

static void processes_are_fine(void **state)
{
	int err = -1;

	(void)state;
	assert_string_equal(LOGGED(err = named_check((pid_t[]){ 1, getpid(), NOBODY }, 3)), "");
	assert_int_equal(err, 0);
	assert_int_equal(named_check(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_none),
		cmocka_unit_test(processes_are_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
