// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tasks.c - what comes from a worker is checked, whatever it is. That what it sees is right is
 * shown by tests/e2e/tasks/test_tasks.py.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/tasks.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_offsets.h"

struct answer {
	struct tasks head;
	struct task tasks[2];
	struct look_frame frames[3];
	__u32 awaiters[2];
};

static struct answer good(void)
{
	return (struct answer){
		.head = { .tasks = 2, .frames = 3, .awaiters = 2 },
		.tasks = { { .state = TASK_WAITS, .frames = 2, .awaiters = 1 },
			   { .state = TASK_RUNS, .first_frame = 2, .frames = 1, .first_awaiter = 1,
			     .awaiters = 1 } },
		.awaiters = { 1, 0 },
	};
}

static int parse(struct answer *a, size_t size)
{
	const struct tasks *head;
	const struct task *tasks;
	const struct look_frame *frames;
	const __u32 *awaiters;

	return tasks_parse(a, size, &head, &tasks, &frames, &awaiters);
}

TEST(pointers_into_a_good_answer)
{
	struct answer a = good();
	const struct tasks *head;
	const struct task *tasks;
	const struct look_frame *frames;
	const __u32 *awaiters;

	assert_int_equal(tasks_parse(&a, sizeof(a), &head, &tasks, &frames, &awaiters), 0);
	assert_ptr_equal(head, &a.head);
	assert_ptr_equal(tasks, a.tasks);
	assert_ptr_equal(frames, a.frames);
	assert_ptr_equal(awaiters, a.awaiters);
}

TEST(sizes_that_are_wrong)
{
	struct answer a = good();

	for (size_t size = 0; size < sizeof(a); size++)
		assert_int_equal(parse(&a, size), -EBADMSG);
	a.head.tasks = UINT32_MAX;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.head.frames = TASKS_FRAMES_MAX + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.head.awaiters = TASKS_AWAITERS_MAX + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
}

/* Who draws trees of them counts on each frame and each awaiter being of one task. */
TEST(tasks_that_are_impossible)
{
	struct answer a;

#define REFUSED(change)                                                                                      \
	do {                                                                                                 \
		a = good();                                                                                  \
		change;                                                                                      \
		assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);                                            \
	} while (0)
	REFUSED(a.tasks[0].state = 0);
	REFUSED(a.tasks[0].state = TASK_STATES);
	REFUSED(a.tasks[1].frames = 2);
	REFUSED(a.tasks[1].frames = UINT32_MAX);
	REFUSED(a.tasks[1].first_frame = 1);
	REFUSED(a.tasks[0].first_frame = 1);
	REFUSED(a.tasks[1].first_awaiter = 0);
	REFUSED(a.tasks[1].awaiters = UINT32_MAX);
	REFUSED(a.awaiters[0] = 2);
	REFUSED(memset(a.tasks[1].name, 'x', sizeof(a.tasks[1].name)));
#undef REFUSED
}

TEST(a_process_without_an_interpreter)
{
	static const __u64 asyncio[ASYNCIO_WORDS] = { 168,    136,   96,  108, 109, 128, 152,
						      225864, 10880, 936, 864, 872, 880 };
	struct layout layout = layout_find(0x030e06f0)->layout;
	_cleanup_buf_ struct buf out = { 0 };
	__u64 words[128];

	layout.version = 0x030e06f0;
	forge_offsets(layout.version, false, words);
	assert_int_equal(tasks_look(getpid(), getpid(), &layout, (uintptr_t)words, (uintptr_t)asyncio, &out),
			 0);
	assert_int_equal(parse((void *)out.data, out.size), 0);
	assert_int_equal(((struct tasks *)(void *)out.data)->tasks, 0);
	assert_int_equal(tasks_look(1 << 30, 1 << 30, &layout, (uintptr_t)words, (uintptr_t)asyncio, &out),
			 -ESRCH);
	layout.version = 0x030700f0;
	assert_int_equal(tasks_look(getpid(), getpid(), &layout, (uintptr_t)words, (uintptr_t)asyncio, &out),
			 -ENOTSUP);
}
