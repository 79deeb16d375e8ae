// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_waits.c - what comes from a worker is checked, whatever it is. That what it sees is right is
 * shown by tests/e2e/tasks/test_tasks_event.py.
 */
#include <errno.h>

#include "remote/task_waits.h"
#include "tests/forge/test.h"

struct answer {
	struct task_waits head;
	struct task_wait tasks[2];
	struct seen_code codes[2];
	struct seen_frame frames[3];
};

static struct answer good(void)
{
	return (struct answer){
		.head = { .tasks = 2, .codes = 2, .frames = 3 },
		.tasks = { { .tid = 5, .count = 2, .state = TASK_WAITS, .awaiter = 2, .others = 7 },
			   { .tid = 6, .first = 2, .count = 1, .state = TASK_RUNS } },
		.codes = { { .address = 0x10000, .fingerprint = 1 },
			   { .address = 0x10040, .fingerprint = 3 } },
		.frames = { { .instr = 1 }, { .code = 1, .instr = INSTR_UNKNOWN }, { .code = 1 } },
	};
}

static const struct task_waits *head;
static const struct task_wait *tasks;
static const struct seen_code *codes;
static const struct seen_frame *frames;

static int parse(const struct answer *a, size_t size)
{
	return task_waits_parse(a, size, &head, &tasks, &codes, &frames);
}

TEST(pointers_into_a_good_answer)
{
	const struct answer a = good();

	assert_int_equal(parse(&a, sizeof(a)), 0);
	assert_ptr_equal(head, &a.head);
	assert_ptr_equal(tasks, a.tasks);
	assert_ptr_equal(codes, a.codes);
	assert_ptr_equal(frames, a.frames);
}

TEST(sizes_that_are_wrong)
{
	const struct answer a = good();
	struct answer bad[3] = { a, a, a };

	for (size_t size = 0; size < sizeof(a); size++)
		assert_int_equal(parse(&a, size), -EBADMSG);
	bad[0].head.tasks = UINT32_MAX;
	bad[1].head.codes = SEEN_CODES_MAX + 1;
	bad[2].head.frames = TASKS_FRAMES_MAX + 1;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(parse(&bad[i], sizeof(a)), -EBADMSG);
}

/* Each of these is the only thing that is wrong. */
TEST(numbers_that_are_impossible)
{
	struct answer bad[9];

	for (size_t i = 0; i < 9; i++)
		bad[i] = good();
	bad[0].tasks[1].count = 2;
	bad[1].tasks[0].first = 4;
	bad[2].tasks[0].state = 0;
	bad[3].tasks[1].state = TASK_STATES;
	bad[4].tasks[0].awaiter = 3;
	bad[5].codes[1].address = 1ULL << 50; /* its bits would be those of another process */
	bad[6].codes[0].fingerprint = FINGERPRINT_UNREAD;
	bad[7].frames[2].code = 2;
	bad[8].frames[0].instr = INSTR_UNKNOWN + 1;
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(parse(&bad[i], sizeof(bad[i])), -EBADMSG);
}
