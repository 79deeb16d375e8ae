// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tasks_trim.c - what is left of a look is still one that tasks_parse() takes, and each task has what
 * it had.
 */
#include <string.h>

#include "base/cleanup.h"
#include "remote/tasks.h"
#include "remote/tasks_trim.h"
#include "tests/forge/test.h"

static struct buf tasks, frames, awaiters;
static const bool none[4];

/* Four tasks: 0 is awaited by 1, 1 by 2, 3 has ended. Each but the last has a frame, with its number. */
static int begin(void **state)
{
	static const __u32 by[] = { 1, 2 };

	(void)state;
	buf_clear(&tasks);
	buf_clear(&frames);
	buf_clear(&awaiters);
	for (__u32 i = 0; i < 4; i++) {
		const struct task t = { .address = i, .state = i == 3 ? TASK_ENDED : TASK_WAITS,
					.first_frame = i, .frames = i < 3, .first_awaiter = i < 2 ? i : 2,
					.awaiters = i < 2 };
		const struct look_frame f = { .code = i };

		assert_int_equal(buf_add(&tasks, &t, sizeof(t)), 0);
		if (t.frames)
			assert_int_equal(buf_add(&frames, &f, sizeof(f)), 0);
	}
	return buf_add(&awaiters, by, sizeof(by));
}

static int end(void **state)
{
	(void)state;
	buf_free(&tasks);
	buf_free(&frames);
	buf_free(&awaiters);
	return 0;
}

/* What a reader of the answer sees. */
static __u32 parse(struct task ret[4], __u64 ret_codes[4], __u32 ret_by[4])
{
	const struct tasks head = { .tasks = tasks.size / sizeof(struct task),
				    .frames = frames.size / sizeof(struct look_frame),
				    .awaiters = awaiters.size / sizeof(__u32) };
	_cleanup_buf_ struct buf bytes = { 0 };
	const struct look_frame *f;
	const struct tasks *h;
	const struct task *t;
	const __u32 *a;

	buf_add(&bytes, &head, sizeof(head));
	buf_add(&bytes, tasks.data, tasks.size);
	buf_add(&bytes, frames.data, frames.size);
	buf_add(&bytes, awaiters.data, awaiters.size);
	assert_int_equal(tasks_parse(bytes.data, bytes.size, &h, &t, &f, &a), 0);
	for (__u32 i = 0; i < h->tasks; i++) {
		ret[i] = t[i];
		ret_codes[i] = t[i].frames ? f[t[i].first_frame].code : ~0ULL;
		ret_by[i] = t[i].awaiters ? a[t[i].first_awaiter] : ~0U;
	}
	return h->tasks;
}

TEST(nothing_is_taken_away)
{
	static const bool gone[4];
	struct task t[4];
	__u64 codes[4];
	__u32 by[4];

	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, gone, none, false), 0);
	assert_int_equal(parse(t, codes, by), 4);
	assert_int_equal(codes[2], 2);
	assert_int_equal(by[0], 1);
	assert_int_equal(by[1], 2);
}

TEST(one_that_has_ended)
{
	static const bool gone[4];
	struct task t[4];
	__u64 codes[4];
	__u32 by[4];

	((struct task *)(void *)tasks.data)[3].state = TASK_WAITS;
	((struct task *)(void *)tasks.data)[2].state = TASK_ENDED; /* but 1 is awaited by it */
	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, gone, none, true), 0);
	assert_int_equal(parse(t, codes, by), 4);
	begin(state);
	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, gone, none, true), 0);
	assert_int_equal(parse(t, codes, by), 3);
	assert_int_equal(by[1], 2);
}

/* It has neither coroutines nor awaiters then, and the others have theirs. */
TEST(one_that_has_gone_on)
{
	static const bool gone[4] = { true };
	struct task t[4];
	__u64 codes[4];
	__u32 by[4];

	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, gone, none, true), 0);
	assert_int_equal(parse(t, codes, by), 3);
	assert_int_equal(t[0].state, TASK_CHANGED);
	assert_int_equal(codes[0], ~0ULL);
	assert_int_equal(by[0], ~0U);
	assert_int_equal(codes[1], 1);
	assert_int_equal(codes[2], 2);
	assert_int_equal(by[1], 2);
}

/* One that is in no list any more is left out, too, unless it is said to await another one. */
TEST(one_that_is_not_there_any_more)
{
	static const bool first[4] = { true }, second[4] = { false, true };
	struct task t[4];
	__u64 codes[4];
	__u32 by[4];

	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, none, first, false), 0);
	assert_int_equal(parse(t, codes, by), 3);
	assert_int_equal(t[0].address, 1);
	assert_int_equal(codes[0], 1);
	assert_int_equal(by[0], 1);
	begin(state);
	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, none, second, false), 0);
	assert_int_equal(parse(t, codes, by), 4);
	assert_int_equal(t[1].state, TASK_CHANGED);
	assert_int_equal(by[0], 1);
	assert_int_equal(codes[1], ~0ULL);
}

/* A task that was read again has its frames behind those of all others. */
TEST(one_that_was_read_again)
{
	const struct look_frame f = { .code = 7 };
	struct task t[4];
	__u64 codes[4];
	__u32 by[4];

	assert_int_equal(buf_add(&frames, &f, sizeof(f)), 0);
	((struct task *)(void *)tasks.data)[0].first_frame = 3;
	assert_int_equal(tasks_trim(&tasks, &frames, &awaiters, none, none, false), 0);
	assert_int_equal(parse(t, codes, by), 4);
	assert_int_equal(codes[0], 7);
	assert_int_equal(codes[1], 1);
	assert_int_equal(frames.size, 3 * sizeof(f));
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, end);
