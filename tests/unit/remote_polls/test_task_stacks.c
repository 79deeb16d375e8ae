// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_stacks.c - from the answer to a look at a process's tasks to what the kernel side is given:
 * stacks from the root on, each once, with the time of all tasks that have it. The kernel side is a function
 * here that keeps what it gets; that it counts it right is shown by tests/unit/kern/test_asleep.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kern/asleep.h"
#include "remote_polls/task_stacks.h"
#include "symbols/captures.h"
#include "tests/forge/test.h"

#define NS	  1000000 /* since the look before */
#define TASKS_MAX 8
#define LATER	  (~0ULL)

/* --- the kernel side ------------------------------------------------------------------------------------ */

static struct outside_stack outside, kept[32];
static unsigned int kept_count, looks, named;
static bool all_unnamed;

int asleep_give_tasks(const struct asleep_programs *a)
{
	assert_ptr_equal(a->outside, &outside);
	looks += outside.looks;
	if (!outside.ns)
		return 0;
	for (__u32 i = 0; i < outside.depth; i++)
		outside.frames[i].unnamed = all_unnamed;
	assert_true(kept_count < ARRAY_SIZE(kept));
	kept[kept_count++] = outside;
	return 0;
}

void captures_given(struct captures *c, const struct asleep *of, const struct seen_code *code, __u32 number)
{
	(void)c;
	(void)of;
	(void)number;
	assert_true(code->address);
	named++;
}

/* --- a look --------------------------------------------------------------------------------------------- */

static struct answer {
	struct task_waits head;
	struct task_wait tasks[TASKS_MAX];
	struct seen_code codes[4];
	struct seen_frame frames[64];
} a;

static struct asleep_programs programs;
static struct task_places places;

static void put_code(__u32 i)
{
	a.codes[i] = (struct seen_code){ .address = 0x10000 + 64 * i, .fingerprint = 2 * i + 1 };
}

static int setup(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	a.head.codes = ARRAY_SIZE(a.codes);
	for (__u32 i = 0; i < ARRAY_SIZE(a.codes); i++)
		put_code(i);
	programs = (struct asleep_programs){ .outside = &outside, .max_depth = 64 };
	kept_count = looks = named = 0;
	all_unnamed = false;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	task_places_free(&places);
	return 0;
}

/* A task with these frames, outermost first: code i at line 10 * i + line. */
static struct task_wait *add_task(__u32 state, __u32 depth, __u32 line)
{
	const __u32 n = a.head.tasks++;
	struct task_wait *t = &a.tasks[n];

	*t = (struct task_wait){ .address = 0x7000 + 16 * n, .tid = getpid(), .state = state };
	t->first = a.head.frames;
	t->count = depth;
	for (__u32 i = 0; i < depth; i++)
		a.frames[a.head.frames++] = (struct seen_frame){ i % 4, 10 * i + line };
	return t;
}

/* The bytes of the answer, to be freed. */
static __u8 *packed(size_t *ret_size)
{
	const size_t tasks = a.head.tasks * sizeof(a.tasks[0]), frames = a.head.frames * sizeof(a.frames[0]);
	__u8 *bytes = malloc(sizeof(a.head) + tasks + sizeof(a.codes) + frames), *at = bytes;

	assert_non_null(bytes);
	at = mempcpy(at, &a.head, sizeof(a.head));
	at = mempcpy(at, a.tasks, tasks);
	at = mempcpy(at, a.codes, sizeof(a.codes));
	at = mempcpy(at, a.frames, frames);
	*ret_size = at - bytes;
	return bytes;
}

static void look(__u64 ns)
{
	const struct asleep of = { .pid = getpid(), .process = 5 };
	struct task_stacks s = { 0 };
	size_t size;
	__u8 *bytes = packed(&size);

	kept_count = looks = 0;
	assert_int_equal(task_stacks_begin(&s, bytes, size, &of, ns, &places), 0);
	assert_null(places.slots);
	assert_true(task_stacks_turn(&s, &programs, NULL, LATER));
	task_stacks_end(&s, &places);
	assert_int_equal(looks, 1);
}

/* The second look at what has not changed. */
static void look_twice(void)
{
	look(0);
	assert_int_equal(kept_count, 0); /* nobody knows since when they wait */
	look(NS);
}

/* --- what is given -------------------------------------------------------------------------------------- */

TEST(a_task_that_waits)
{
	add_task(TASK_WAITS, 3, 1);
	look_twice();
	assert_int_equal(kept_count, 1);
	assert_int_equal(kept[0].ns, NS);
	assert_int_equal(kept[0].outcome, OUTCOME_WHOLE);
	assert_int_equal(kept[0].asleep.process, 5);
	assert_int_equal(kept[0].asleep.tid, getpid());
	assert_int_equal(kept[0].depth, 3);
	for (__u32 i = 0; i < 3; i++) { /* from the root on */
		assert_int_equal(kept[0].frames[i].address, a.codes[i].address);
		assert_int_equal(kept[0].frames[i].fingerprint, a.codes[i].fingerprint);
		assert_int_equal(kept[0].frames[i].instr, 10 * i + 1);
	}
	assert_int_equal(named, 0);
	all_unnamed = true;
	look(NS);
	assert_int_equal(named, 3);
}

/* Where it went on meanwhile, it has not waited in one place for all of the time. */
TEST(a_task_that_went_on)
{
	add_task(TASK_WAITS, 2, 1);
	look(0);
	a.frames[1].instr++;
	look(NS);
	assert_int_equal(kept_count, 1);
	assert_int_equal(kept[0].outcome, OUTCOME_TASK_MOVED);
	look(NS);
	assert_int_equal(kept[0].outcome, OUTCOME_WHOLE);
	/* Code objects have other numbers in each look: it is what they are that counts. */
	a.codes[3] = a.codes[1];
	a.frames[1].code = 3;
	look(NS);
	assert_int_equal(kept[0].outcome, OUTCOME_WHOLE);
	a.codes[3].fingerprint += 2;
	look(NS);
	assert_int_equal(kept[0].outcome, OUTCOME_TASK_MOVED);
}

TEST(tasks_with_one_stack)
{
	__u64 sum = 0;

	for (int i = 0; i < 3; i++)
		add_task(TASK_WAITS, 2, 1);
	add_task(TASK_WAITS, 2, 2);
	look_twice();
	assert_int_equal(kept_count, 2);
	for (unsigned int i = 0; i < kept_count; i++) {
		assert_int_equal(kept[i].ns, kept[i].frames[0].instr == 1 ? 3 * NS : NS);
		sum += kept[i].ns;
	}
	assert_int_equal(sum, 4 * NS);
}

/* The one that is awaited stands above those that await it. */
TEST(a_chain_of_tasks)
{
	struct task_wait *leaf = add_task(TASK_WAITS, 1, 1);

	add_task(TASK_WAITS, 1, 5);
	leaf->awaiter = 2; /* the number of the second, and one */
	look_twice();
	assert_int_equal(kept_count, 2);
	for (unsigned int i = 0; i < 2; i++) {
		if (kept[i].depth == 1)
			continue;
		assert_int_equal(kept[i].depth, 2);
		assert_int_equal(kept[i].frames[0].instr, 5);
		assert_int_equal(kept[i].frames[1].instr, 1);
	}
	leaf->others = 3;
	look(NS);
	for (unsigned int i = 0; i < 2; i++)
		if (kept[i].depth == 3)
			assert_int_equal(kept[i].frames[1].mark, CODE_WAITS + WAIT_TASK_SHARED);
}

TEST(tasks_that_await_each_other)
{
	add_task(TASK_WAITS, 1, 1)->awaiter = 2;
	add_task(TASK_WAITS, 1, 5)->awaiter = 1;
	look_twice();
	assert_int_equal(kept_count, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(kept[i].depth, 3);
		assert_int_equal(kept[i].frames[0].mark, CODE_WAITS + WAIT_TASK_CYCLE);
	}
}

TEST(states_without_a_stack)
{
	static const struct {
		__u32 state;
		int outcome; /* -1 = it is not counted */
	} rows[] = {
		{ TASK_RUNS, OUTCOME_TASK_RUNS },      { TASK_NOT_BEGUN, OUTCOME_TASK_RUNS },
		{ TASK_ENDED, -1 },		       { TASK_FUTURE, -1 },
		{ TASK_CHANGED, OUTCOME_TASK_UNREAD }, { TASK_UNREAD, OUTCOME_TASK_UNREAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup(state);
		add_task(rows[i].state, 0, 0);
		look_twice();
		assert_int_equal(kept_count, rows[i].outcome >= 0);
		if (!kept_count)
			continue;
		assert_int_equal(kept[0].outcome, rows[i].outcome);
		assert_int_equal(kept[0].depth, 0);
		assert_int_equal(kept[0].ns, NS);
	}
}

TEST(stacks_that_are_not_whole)
{
	add_task(TASK_WAITS, 3, 1)->cut = 1;
	look_twice();
	assert_int_equal(kept[0].outcome, OUTCOME_INCOMPLETE);
	programs.max_depth = 2;
	look(NS);
	assert_int_equal(kept[0].outcome, OUTCOME_TRUNCATED);
	assert_int_equal(kept[0].depth, 2);
	assert_int_equal(kept[0].frames[1].instr, 21); /* the leaf is there */
	setup(state);
	add_task(TASK_WAITS, 0, 0);
	look_twice();
	assert_int_equal(kept[0].outcome, OUTCOME_NO_FRAMES);
}

TEST(only_the_main_thread)
{
	add_task(TASK_WAITS, 1, 1);
	add_task(TASK_WAITS, 1, 2)->tid++;
	programs.main_only = true;
	look_twice();
	assert_int_equal(kept_count, 1);
	assert_int_equal(kept[0].frames[0].instr, 1);
}

/* --- what is not ---------------------------------------------------------------------------------------- */

TEST(an_answer_that_is_none)
{
	const struct asleep of = { .pid = getpid(), .process = 5 };
	struct task_stacks s = { 0 };
	__u8 *bytes;
	size_t size;

	add_task(TASK_WAITS, 1, 1);
	look(0);
	bytes = packed(&size);
	for (size_t less = 1; less <= size; less++)
		assert_int_equal(task_stacks_begin(&s, bytes, size - less, &of, NS, &places), -EBADMSG);
	assert_non_null(places.slots); /* they are not lost */
	assert_null(s.answer);
	free(bytes);
}

/* It is called again when there is time, and then goes on. */
TEST(a_bit_at_a_time)
{
	const struct asleep of = { .pid = getpid(), .process = 5 };
	struct task_stacks s = { 0 };
	size_t size;
	__u8 *bytes;

	for (__u32 i = 0; i < TASKS_MAX; i++)
		add_task(TASK_WAITS, 1, i + 1);
	look(0);
	bytes = packed(&size);
	kept_count = looks = 0;
	assert_int_equal(task_stacks_begin(&s, bytes, size, &of, NS, &places), 0);
	assert_false(task_stacks_turn(&s, &programs, NULL, 0));
	assert_int_equal(looks, 0);
	assert_true(task_stacks_turn(&s, &programs, NULL, LATER));
	assert_int_equal(kept_count, TASKS_MAX);
	assert_int_equal(looks, 1);
	task_stacks_end(&s, &places);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
