// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_look.c - what comes from a worker is checked, whatever it is. That what it sees is right is shown by
 * tests/e2e/test_dump.py.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "python/look.h"

struct answer {
	struct look head;
	struct look_thread threads[2];
	struct look_frame frames[3];
};

static struct answer good(void)
{
	return (struct answer){
		.head = { .threads = 2, .frames = 3 },
		.threads = { { .count = 2, .end = LOOK_WHOLE },
			     { .first = 2, .count = 1, .end = LOOK_BROKEN } },
		.frames = { { .code = 1 }, { .code = 2 }, { .code = 3 } },
	};
}

static int parse(struct answer *a, size_t size)
{
	const struct look *look;
	struct look_thread *threads;
	const struct look_frame *frames;

	return look_parse(a, size, &look, &threads, &frames);
}

static void pointers_into_a_good_answer(void **state)
{
	struct answer a = good();
	const struct look_frame *frames;
	struct look_thread *threads;
	const struct look *look;

	(void)state;
	assert_int_equal(look_parse(&a, sizeof(a), &look, &threads, &frames), 0);
	assert_ptr_equal(look, &a.head);
	assert_ptr_equal(threads, a.threads);
	assert_ptr_equal(frames, a.frames);
}

static void sizes_that_are_wrong(void **state)
{
	struct answer a = good();

	(void)state;
	for (size_t size = 0; size < sizeof(a); size++)
		assert_int_equal(parse(&a, size), -EBADMSG);
	a.head.threads = UINT32_MAX;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.head.frames = LOOK_FRAMES_MAX + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
}

static void threads_that_are_impossible(void **state)
{
	struct answer a;

	(void)state;
	a = good();
	a.threads[1].count = 2;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].first = 4;
	a.threads[0].count = UINT32_MAX;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].end = LOOK_ENDS;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].gil = LOOK_GIL_WAITS + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].file, 'x', sizeof(a.threads[1].file));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].async_task, 'x', sizeof(a.threads[1].async_task));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].task.name, 'x', sizeof(a.threads[1].task.name));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
}

/* A layout and a runtime that lead nowhere give threads without frames. */
static void a_process_without_an_interpreter(void **state)
{
	_cleanup_buf_ struct buf out = { 0 };
	const struct look_frame *frames;
	const struct layout layout = { .version = 0x030d0000, .runtime_interpreters = 8 };
	struct look_thread *threads;
	const struct look *look;

	(void)state;
	assert_int_equal(look_at_threads(getpid(), getpid(), &layout, 4096, 4096, &out), 0);
	assert_int_equal(look_parse(out.data, out.size, &look, &threads, &frames), 0);
	assert_int_equal(look->threads, 1);
	assert_int_equal(look->frames, 0);
	assert_int_equal(threads[0].task.tid, getpid());
	assert_int_equal(threads[0].end, LOOK_NO_STATE);
	assert_int_equal(look_at_threads(1 << 30, 1 << 30, &layout, 4096, 4096, &out), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_into_a_good_answer),
		cmocka_unit_test(sizes_that_are_wrong),
		cmocka_unit_test(threads_that_are_impossible),
		cmocka_unit_test(a_process_without_an_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
