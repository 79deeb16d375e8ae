// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_awaiter.c - up to 3.13: the task that runs, by asyncio's dict, and who awaits it, by callbacks, in
 * forged memory as 3.12, 3.10 and 3.9 have it; and memory that is anything. Real ones:
 * tests/e2e/tasks/test_async.py.
 */
#include <stdio.h>

#include "tests/forge/hosted.h"
#include "tests/forge/test.h"

const volatile __u8 opt_async = 1;

#define START  0x7f0000000000ULL
#define OBJECT 512 /* bytes of each object */

enum {
	DICT, KEYS, TASK, OUTER, FUTURE, CORO, OUTER_CORO, WAKEUP, FUNCTION, TUPLE, CELL, METHOD, GROUP, CODE,
	LIST, ITEMS, CALLED, INNER, PARTIAL, NAME, /* what is called besides */
	ANYIO, SCOPE, HELD, DICTIONARY,
	FRAME, OUTER_FRAME, VALUES, BYTES, /* up to 3.10 */
	T_TASK, T_FUTURE, T_CORO, T_WAKEUP, T_FUNCTION, T_METHOD, T_GROUP, T_OTHER, T_PARTIAL,
	T_ANYIO, T_SCOPE, NAMES, OBJECTS
};

static __u64 memory[OBJECTS][OBJECT / 8];

static __u64 moved; /* a page that the kernel moves just now: the next read of this address fails */

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (moved && address == moved) {
		moved = 0;
		return -EFAULT;
	}
	if (address < START || address - START > sizeof(memory) || size > sizeof(memory) - (address - START))
		return -EFAULT;
	memcpy(dst, (const __u8 *)memory + (address - START), size);
	return 0;
}

static __u64 at(int object)
{
	return START + (__u64)object * OBJECT;
}

static const struct task_layout tasks = {
	.task_size = 176, .task_name = 144, .task_coro = 136, .object_type = 8, .type_name = 24,
	.type_flags = 168, .gen_frame = 72, .gen_state = 67, .frame_stack = 64, .created = -2, .executing = 0,
	.suspended = -1, .awaiting = { -1, -1 }, .awaited = 1, .resume = 2, .frame_values = 72, .closure = 72,
	.function_name = 32, .current = START + DICT * OBJECT, .task_type = START + T_TASK * OBJECT,
	.future_type = START + T_FUTURE * OBJECT, .group_type = START + T_GROUP * OBJECT,
	.partial_type = START + T_PARTIAL * OBJECT,
};
static const struct layout layout = { .frame_code = 0, .frame_instr = 56, .frame_owner = 70,
				      .owner_generator = 1, .str_ascii = 48 };

static const struct layout layout_with_cframe = { .frame_code = 0, .frame_instr = 56, .frame_owner = 70,
						  .owner_generator = 1, .str_ascii = 48, .has_cframe = 1,
						  .cframe_frame = 8 };

static struct scratch *s;
static const struct layout *of = &layout;
static const struct task_layout *where = &tasks;

static void forge_type(int type, const char *name)
{
	char *names = (char *)memory[NAMES] + 32 * (type - T_TASK);

	snprintf(names, 32, "%s", name);
	memory[type][24 / 8] = START + NAMES * OBJECT + 32 * (__u64)(type - T_TASK);
}

static void forge_coroutine(int coro, __s8 state)
{
	memory[coro][1] = at(T_CORO);
	((__u8 *)memory[coro])[67] = (__u8)state;
	memory[coro][72 / 8] = at(CODE);
	memory[coro][(72 + 56) / 8] = at(CODE) + 64;
	((__u8 *)memory[coro])[72 + 70] = 1;
}

/* A task that runs, and another one, which nobody awaits. */
static int setup(void **state)
{
	(void)state;
	of = &layout;
	where = &tasks;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -1;
	memset(memory, 0, sizeof(memory));
	s->who.process = 1;
	forge_type(T_CORO, "coroutine");
	forge_type(T_WAKEUP, "TaskWakeupMethWrapper");
	forge_type(T_FUNCTION, "function");
	forge_type(T_METHOD, "method");
	forge_type(T_OTHER, "tuple");
	memory[DICT][4] = at(KEYS);
	((__u8 *)memory[KEYS])[9] = 3;
	memory[KEYS][5 + 3 + 2] = at(TASK); /* the second entry; the first one is empty */
	memory[TASK][1] = memory[OUTER][1] = at(T_TASK);
	memory[TASK][136 / 8] = at(CORO);
	memory[OUTER][136 / 8] = at(OUTER_CORO);
	memory[FUTURE][1] = at(T_FUTURE);
	forge_coroutine(CORO, 0);
	forge_coroutine(OUTER_CORO, -1);
	memory[WAKEUP][1] = at(T_WAKEUP);
	memory[WAKEUP][2] = at(OUTER);
	memory[FUNCTION][1] = at(T_FUNCTION);
	memory[FUNCTION][72 / 8] = at(TUPLE);
	memory[TUPLE][2] = 1;
	memory[TUPLE][3] = at(CELL);
	memory[METHOD][1] = at(T_METHOD);
	memory[METHOD][3] = at(GROUP);
	memory[GROUP][1] = at(T_GROUP);
	memory[INNER][1] = at(T_FUTURE);
	memory[PARTIAL][1] = at(T_PARTIAL);
	memory[PARTIAL][3] = at(TUPLE);
	memory[LIST][2] = 1;
	memory[LIST][3] = at(ITEMS);
	memory[ITEMS][0] = at(CALLED);
	memory[CALLED][3] = at(WAKEUP);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(s);
	return 0;
}

static void look(void)
{
	await_begin(s);
	s->await.tasks = 0;
	task_find(s, of, where, at(GROUP));
}

static void assert_awaited_by_outer(__u32 futures)
{
	look();
	assert_int_equal(s->task.address, at(TASK));
	assert_int_equal(s->await.frame, at(CORO) + 72);
	assert_int_equal(s->await.tasks, 1 + futures);
	assert_int_equal(s->await.met[futures], at(OUTER));
	assert_int_equal(s->await.depth, 1);
	assert_int_equal(s->await.cause, WAIT_CAUSES);
}

/* Its frame has to be in the stack, also if nobody awaits it. */
TEST(the_task_that_runs)
{
	look();
	assert_int_equal(s->task.address, at(TASK));
	assert_int_equal(s->await.frame, at(CORO) + 72);
	assert_int_equal(s->await.tasks, 0);
	assert_true(s->await.must && !s->await.seen);
	((__u8 *)memory[CORO])[67] = 0xff; /* it waits */
	look();
	assert_int_equal(s->task.address, 0);
	assert_int_equal(s->await.frame, 0);
	memory[GROUP][0] = at(CORO) + 72; /* ... from now on: its frame is still the thread's */
	look();
	assert_int_equal(s->task.address, at(TASK));
	memory[GROUP][0] = at(HELD);
	of = &layout_with_cframe;
	look();
	assert_int_equal(s->task.address, 0);
	memory[HELD][1] = at(CORO) + 72;
	look();
	assert_int_equal(s->task.address, at(TASK));
	of = &layout;
	((__u8 *)memory[CORO])[67] = 0;
	memory[TASK][1] = at(T_OTHER); /* it is no task */
	look();
	assert_int_equal(s->await.frame, 0);
}

TEST(who_awaits_it)
{
	memory[TASK][3] = at(WAKEUP);
	assert_awaited_by_outer(0);
	memory[TASK][3] = at(FUNCTION);
	memory[CELL][2] = at(FUTURE);
	memory[FUTURE][3] = at(WAKEUP);
	assert_awaited_by_outer(1);
	memory[TASK][3] = at(METHOD);
	memory[GROUP - 1][OBJECT / 8 - 3] = at(CODE) - 1; /* three words before it, with a tag */
	memory[CODE][4] = at(OUTER);
	assert_awaited_by_outer(0);
	memory[CODE][4] = at(FUTURE); /* what stands there is no task */
	look();
	assert_int_equal(s->await.tasks, 0);
}

/* A gather() in another one, wait_for() up to 3.11. */
TEST(over_two_futures)
{
	memory[TASK][3] = at(PARTIAL);
	memory[TUPLE][3] = at(INNER);
	memory[INNER][3] = at(FUNCTION);
	memory[FUNCTION][72 / 8] = at(CALLED);
	memory[CALLED][2] = 1;
	memory[CALLED][3] = at(CELL);
	memory[CELL][2] = at(FUTURE);
	memory[FUTURE][3] = at(WAKEUP);
	assert_awaited_by_outer(2);
	memcpy((char *)memory[NAME] + 48, "_outer_done_callback", 21);
	memory[FUNCTION][32 / 8] = at(NAME); /* a future of shield(): the other one does not wait for it */
	look();
	assert_int_equal(s->await.tasks, 1);
	memory[INNER][5] = at(LIST); /* what is called next does */
	memory[CALLED][3] = at(WAKEUP);
	assert_awaited_by_outer(1);
}

#define HEAP_TYPE (1UL << 9)

/* A function of AnyIO's, which has the task group in a cell. */
static void forge_anyio(void)
{
	forge_type(T_ANYIO, "TaskGroup");
	forge_type(T_SCOPE, "CancelScope");
	memory[T_ANYIO][168 / 8] = memory[T_SCOPE][168 / 8] = HEAP_TYPE;
	memory[TASK][3] = at(FUNCTION);
	memory[CELL][2] = at(ANYIO);
	memory[ANYIO][1] = at(T_ANYIO);
	memory[SCOPE][1] = at(T_SCOPE);
	memory[SCOPE][5] = at(T_OTHER);
	memory[HELD][0] = at(SCOPE);
}

/* The task that has entered the group is a slot of its scope, or an attribute. */
TEST(anyio_task_group)
{
	struct task_layout version = tasks;

	for (__u8 resume = 1; resume <= 2; resume++) { /* 3.11, 3.12 */
		const int word = OBJECT / 8 - (resume == 1 ? 4 : 3), tag = resume == 2;

		teardown(state);
		assert_int_equal(setup(state), 0);
		forge_anyio();
		version.resume = resume;
		where = &version;
		memory[ANYIO - 1][word] = at(HELD) - tag;
		look();
		assert_int_equal(s->await.tasks, 0); /* nobody has entered it */
		memory[SCOPE][15] = at(OUTER);
		assert_awaited_by_outer(0);
		memory[SCOPE][15] = 0;
		memory[SCOPE - 1][word] = at(DICTIONARY) - tag;
		memory[DICTIONARY][9] = at(OUTER);
		assert_awaited_by_outer(0);
		forge_type(T_SCOPE, "CancelScopes"); /* another class */
		look();
		assert_int_equal(s->await.tasks, 0);
	}
}

/* 3.13 has the attributes in the object. */
TEST(anyio_attributes)
{
	struct task_layout version = tasks;

	forge_anyio();
	version.resume = 0;
	where = &version;
	memory[T_ANYIO][4] = 16;
	memory[ANYIO][3] = at(SCOPE);
	memory[SCOPE][4] = at(OUTER);
	assert_awaited_by_outer(0);
}

/* What is only told of its end is no awaiter, also where it comes first. */
TEST(what_is_called_besides)
{
	memory[TASK][3] = at(FUNCTION);
	memory[TASK][5] = at(LIST);
	memory[FUNCTION][72 / 8] = 0;
	assert_awaited_by_outer(0);
	assert_int_equal(s->await.shared[0], 0);
	memory[TASK][3] = at(WAKEUP); /* two wait for it */
	memory[CALLED][3] = at(PARTIAL);
	memory[TUPLE][3] = at(INNER);
	assert_awaited_by_outer(0);
	assert_int_equal(s->await.shared[0], 1);
	memory[CALLED][3] = at(FUNCTION);
	assert_awaited_by_outer(0);
	assert_int_equal(s->await.shared[0], 0);
	memory[LIST][2] = ~0ULL; /* so many are not looked at */
	assert_awaited_by_outer(0);
}

/* --- frames that are objects ---------------------------------------------------------------------------- */

static struct layout old_layout;
static struct task_layout old_tasks;

/* 3.9's, or 3.10's. */
static void use_old(bool counts)
{
	old_layout = (struct layout){ .frame_lasti = 1, .lasti_shift = counts, .frame_code = 32,
				      .frame_instr = counts ? 96 : 104, .frame_generator = counts ? 88 : 96,
				      .tstate_frame = 24, .bytes_data = 32 };
	old_tasks = tasks;
	old_tasks.gen_frame = 16;
	old_tasks.gen_state = counts ? 108 : 116;
	old_tasks.frame_stack = counts ? 80 : 72;
	old_tasks.frame_values = 64;
	old_tasks.frame_object = counts ? FRAME_OBJECT_COUNTS : FRAME_OBJECT_TOP;
	old_tasks.executing = !counts;
	old_tasks.created = counts ? -2 : 0;
	old_tasks.suspended = counts ? -1 : 0;
	old_tasks.resume = 0;
	of = &old_layout;
	where = &old_tasks;
}

static void forge_frame(int frame, int coro, __s8 state)
{
	memory[coro][1] = at(T_CORO);
	memory[coro][2] = at(frame);
	memory[frame][4] = at(CODE);
	memory[frame][8] = at(VALUES);
	memory[frame][old_layout.frame_generator / 8] = at(coro);
	((__u8 *)memory[frame])[old_tasks.gen_state] = (__u8)state;
	((__u8 *)memory[frame])[old_layout.frame_instr] = 4; /* of code units, or of bytes */
}

/* Its task is awaited by another one, whose coroutine awaits the future of a third. */
static void forge_old(bool counts)
{
	use_old(counts);
	memset(memory[KEYS], 0, OBJECT);
	memory[KEYS][1] = 8;
	memory[KEYS][6 + 3 + 2] = at(TASK);
	forge_frame(FRAME, CORO, old_tasks.executing);
	forge_frame(OUTER_FRAME, OUTER_CORO, old_tasks.suspended);
	memory[OUTER_FRAME][old_tasks.frame_stack / 8] = counts ? 2 : at(VALUES) + 16;
	memory[CODE][6] = at(BYTES);
	((__u8 *)memory[BYTES])[32 + (counts ? 8 : 4) + 2] = 72; /* YIELD_FROM */
	memory[TASK][3] = at(WAKEUP);
}

TEST(frames_that_are_objects)
{
	for (int counts = 0; counts <= 1; counts++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		forge_old(counts);
		look();
		assert_int_equal(s->task.address, at(TASK));
		assert_int_equal(s->await.frame, at(FRAME));
		assert_int_equal(s->await.met[0], at(OUTER));
		assert_int_equal(s->await.depth, 1);
		assert_int_equal(s->walk.frames[AWAIT_FIRST].address, at(OUTER_FRAME));
		assert_int_equal(s->walk.frames[AWAIT_FIRST].code, at(CODE));
		assert_int_equal(s->walk.frames[AWAIT_FIRST].instr, 4);
		memory[VALUES][1] = at(CORO); /* what it awaits runs: then nobody awaits the task */
		look();
		assert_int_equal(s->await.tasks, 1);
		assert_int_equal(s->await.depth, 1);
		forge_frame(FRAME, CORO, old_tasks.suspended); /* it waits, */
		look();
		assert_int_equal(s->task.address, 0);
		memory[GROUP][3] = at(FRAME); /* ... or is the thread's already */
		look();
		assert_int_equal(s->task.address, at(TASK));
	}
}

/* It awaits a coroutine of its own, which is met only where the next instruction awaits. */
TEST(a_coroutine_in_it)
{
	for (int counts = 0; counts <= 1; counts++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		forge_old(counts);
		forge_frame(CELL, TUPLE, old_tasks.suspended);
		memory[VALUES][1] = at(TUPLE);
		look();
		assert_int_equal(s->await.depth, 2);
		assert_int_equal(s->walk.frames[AWAIT_FIRST + 1].address, at(CELL));
		memory[CELL][old_layout.frame_generator / 8] = at(CORO); /* the frame is of another one */
		look();
		assert_int_equal(s->await.depth, 1);
		assert_int_equal(s->await.cause, WAIT_TASK_CUT);
		memory[BYTES][32 / 8] = memory[BYTES][40 / 8] = 0; /* it has yielded it */
		look();
		assert_int_equal(s->await.depth, 1);
		assert_int_equal(s->await.cause, WAIT_CAUSES);
	}
}

/* What is called takes many reads: where the time is over, one more is looked at, and no sixteen. */
TEST(what_is_called_takes_long)
{
	__u32 all;

	memory[T_OTHER][168 / 8] = FLAG_HEAP_TYPE;
	memory[TASK][3] = at(FUNCTION);
	memory[TASK][5] = at(LIST);
	memory[LIST][2] = 8;
	memory[TUPLE][2] = 8;
	for (int i = 0; i < 8; i++) {
		memory[ITEMS][i] = at(CALLED);
		memory[TUPLE][3 + i] = at(CELL);
	}
	memory[CALLED][3] = at(FUNCTION);
	memory[CELL][2] = at(HELD);
	memory[HELD][1] = at(T_OTHER);
	look();
	all = s->walk.reads;
	assert_true(all > 400);
	assert_int_equal(s->await.cause, WAIT_CAUSES);
	s->walk.reads = s->walk.steps = 0;
	s->walk.patience = s->walk.deadline = 1;
	look();
	assert_true(s->walk.reads < 50);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
}

/* Words that are others, or addresses of each other: it ends, within its bounds. */
static enum object_kind kind_when_moved(int type, __u64 address)
{
	moved = address;
	assert_int_equal(object_kind(s, where, at(type)), OBJECT_OTHER);
	assert_int_equal(moved, 0);
	return object_kind(s, where, at(type));
}

/* What a type is said to be for lack of a page is not kept: the next sample sees it. */
TEST(a_type_that_cannot_be_read_once)
{
	memory[T_OTHER][168 / 8] = FLAG_STR;
	assert_int_equal(kind_when_moved(T_OTHER, at(T_OTHER) + 168), OBJECT_STR);
	memory[T_CORO][168 / 8] = 1;
	assert_int_equal(kind_when_moved(T_CORO, memory[T_CORO][24 / 8]), OBJECT_COROUTINE);
	memory[T_CORO][24 / 8] = 0; /* now it is known */
	assert_int_equal(object_kind(s, where, at(T_CORO)), OBJECT_COROUTINE);
}

/* A name that is lost so is in the books. */
TEST(a_name_that_cannot_be_read_once)
{
	memory[NAME][1] = 4;
	((__u8 *)memory[NAME])[of->str_state] = 1;
	moved = at(NAME);
	s->walk.faults = 0;
	assert_false(name_read(s, of, at(NAME)));
	assert_int_equal(moved, 0);
	assert_int_equal(s->walk.faults, 1);
}

TEST(words_that_are_others)
{
	__u32 differs = 0;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		if (round % 3)
			forge_old(round % 3 == 1);
		memory[TASK][3] = at(round & 1 ? FUNCTION : WAKEUP);
		memory[CELL][2] = at(FUTURE);
		memory[FUTURE][3] = at(WAKEUP);
		for (int i = rand() % 4; i >= 0; i--)
			memory[rand() % T_TASK][rand() % 24] = rand() % 2 ? at(rand() % OBJECTS) :
									 (__u64)rand() << 40 ^ (__u64)rand();
		look();
		assert_true(s->await.tasks <= AWAIT_TASKS && s->await.depth <= AWAIT_FRAMES);
		assert_true(s->await.cause <= WAIT_CAUSES);
		differs += s->await.tasks != 1 + ((__u32)round & 1);
	}
	assert_true(differs > 200);
}

AROUND_EACH(setup, teardown);
