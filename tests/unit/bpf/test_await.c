// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_await.c - from the asyncio task that runs to those that await it, in forged memory: chains, sets,
 * circles, what is too much, and memory that is anything.
 */
#include <stdio.h>

#include "tests/forge/hosted.h"
#include "tests/forge/test.h"

const volatile __u8 opt_async = 1;

#define BASE  0x7f0000000000ULL
#define WORDS 8192 /* of memory, from BASE on */

#include "tests/forge/flat_words.h"

/* Offsets as 3.14 has them in kind. */
static const struct task_layout tasks = {
	.tstate_loop = 8, .task_size = 64, .task_name = 16, .task_awaited_by = 24, .task_coro = 32,
	.task_is_task = 40, .task_awaited_by_is_set = 41,
	.object_type = 8, .type_name = 24, .type_flags = 168,
	.set_used = 24, .set_table = 40, .set_mask = 32,
	.gen_frame = 72, .gen_state = 67, .frame_stack = 64,
	.created = 1, .executing = 2, .suspended = 3, .awaiting = { 4, 5 }, .awaited = 1
};
static const struct layout layout = { .frame_code = 0, .frame_instr = 56, .frame_owner = 76,
				      .owner_generator = 1 };

static struct scratch *s;
enum { COROUTINE, WRAPPER, STRANGER, KINDS };
static const char *const type_names[KINDS] = { "coroutine", "coroutine_wrapper", "Future" };
static __u64 types[KINDS];

static int setup(void **state)
{
	(void)state;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -1;
	flat_begin();
	s->who.process = 1;
	for (int i = 0; i < KINDS; i++) {
		const __u64 name = make(4);

		types[i] = make(32);
		snprintf((char *)at(name), 4 * sizeof(__u64), "%s", type_names[i]);
		at(types[i])[tasks.type_name / 8] = name;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(s);
	return 0;
}

/* A coroutine with this code that awaits something; 0 = nothing. */
static __u64 coroutine(__u64 code, __u64 awaits, __s8 in_state)
{
	const __u64 object = make(32), frame = object + tasks.gen_frame, stack = make(2);

	at(object)[1] = types[COROUTINE];
	((__u8 *)at(object))[tasks.gen_state] = in_state;
	((__u8 *)at(frame))[layout.frame_owner] = layout.owner_generator;
	at(frame)[0] = code;
	at(frame)[layout.frame_instr / 8] = code + 8;
	at(frame)[tasks.frame_stack / 8] = stack + sizeof(__u64);
	at(stack)[0] = awaits;
	return object;
}

static __u64 wrapper(__u64 wrapped)
{
	const __u64 object = make(32);

	at(object)[1] = types[WRAPPER];
	at(object)[2] = wrapped;
	return object;
}

static __u64 task(__u64 coro)
{
	const __u64 object = make(8);

	at(object)[tasks.task_coro / 8] = coro;
	((__u8 *)at(object))[tasks.task_is_task] = coro != 0;
	return object;
}

static void awaited_by(__u64 object, __u64 by)
{
	at(object)[tasks.task_awaited_by / 8] = by;
}

/* By so many, in a table of so many slots. The first slot is of one that was taken out. */
static void awaited_by_set(__u64 object, const __u64 *by, __u32 count, __u64 slots)
{
	const __u64 set = make(8), table = make(2 * slots);

	at(set)[tasks.set_used / 8] = count;
	at(set)[tasks.set_mask / 8] = slots - 1;
	at(set)[tasks.set_table / 8] = table;
	at(table)[0] = object;
	at(table)[1] = ~0ULL;
	for (__u32 i = 0; i < count; i++) {
		at(table)[2 * (i + 1)] = by[i] | 1; /* tags of references */
		at(table)[2 * (i + 1) + 1] = 77;
	}
	awaited_by(object, set);
	((__u8 *)at(object))[tasks.task_awaited_by_is_set] = 1;
}

/* Looks from this task on, as at a sample of the thread that runs it. */
static void look(__u64 running)
{
	const __u64 tstate = make(4);

	at(tstate)[1] = BASE;
	at(tstate)[2] = running;
	s->await.frame = 0;
	task_find(s, &layout, &tasks, tstate);
}

/* The codes of its frames, by task: "1 2 | 3". */
static const char *shown(void)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (__u32 t = 0; t < s->await.tasks; t++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", t ? "|" : "",
				      s->await.shared[t] ? "+" : "");
		for (__u32 i = s->await.begin[t]; i < s->await.end[t]; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%llu ",
					      (s->walk.frames[AWAIT_FIRST + i].code - BASE) / 4096);
	}
	return text;
}

#define CODE(n) (BASE + 4096ULL * (n))

TEST(nobody_awaits_it)
{
	look(task(coroutine(CODE(1), 0, tasks.executing)));
	assert_int_equal(s->await.frame, 0);
	look(0);
	assert_int_equal(s->await.frame, 0);
	assert_int_equal(s->task.address, 0);
}

/* A future is shorter than a coroutine, for which it may be taken until its type is known. */
TEST(nothing_behind_a_future)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	const __u64 end = BASE + sizeof(memory), future = end - tasks.task_size;
	const __u64 inner = coroutine(CODE(3), future, tasks.awaiting[0]);
	const __u64 outer = task(coroutine(CODE(2), inner, tasks.awaiting[0]));

	at(future)[1] = types[STRANGER];
	awaited_by(running, outer);
	look(running);
	assert_int_equal(s->await.cause, WAIT_CAUSES);
	assert_string_equal(shown(), "2 3 ");
}

/* A coroutine whose frame is not there tells nothing. */
TEST(nothing_behind_the_head_of_a_coroutine)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	const __u64 cut = BASE + sizeof(memory) - OBJECT_HEAD;
	const __u64 outer = task(coroutine(CODE(2), cut, tasks.awaiting[0]));

	at(cut)[1] = types[COROUTINE];
	awaited_by(running, outer);
	look(running);
	assert_string_equal(shown(), "2 ");
}

TEST(chains)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	const __u64 inner = coroutine(CODE(3), running, tasks.awaiting[1]);
	const __u64 outer = task(coroutine(CODE(2), wrapper(wrapper(inner)), tasks.awaiting[0]));
	const __u64 future = task(0), last = task(coroutine(CODE(4), future, tasks.awaiting[0]));

	awaited_by(running, outer);
	awaited_by(outer, future);
	awaited_by(future, last);
	look(running);
	assert_int_equal(s->await.frame, *at(running + tasks.task_coro) + tasks.gen_frame);
	assert_int_equal(s->await.cause, WAIT_CAUSES);
	assert_string_equal(shown(), "2 3 ||4 ");
	assert_int_equal(s->walk.frames[AWAIT_FIRST].instr, CODE(2) + 8);
}

TEST(sets)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	const __u64 by[2] = { task(coroutine(CODE(2), running, tasks.awaiting[0])),
			      task(coroutine(CODE(3), running, tasks.awaiting[0])) };

	awaited_by_set(running, by, 2, 8);
	look(running);
	assert_string_equal(shown(), "+2 ");
	awaited_by_set(running, by, 1, 8);
	look(running);
	assert_string_equal(shown(), "2 ");
	awaited_by_set(running, by, 0, 8);
	look(running);
	assert_int_equal(s->await.frame, 0);
	/* Only the first slots of a large one are looked at. Here nothing is among them. */
	awaited_by_set(running, by, 1, 128);
	memset(at(*at(*at(running + tasks.task_awaited_by) + tasks.set_table)), 0, 64 * 16);
	look(running);
	assert_int_equal(s->await.tasks, 0);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
}

TEST(circles)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	const __u64 a = task(coroutine(CODE(2), running, tasks.awaiting[0]));
	const __u64 b = task(coroutine(CODE(3), a, tasks.awaiting[0]));

	awaited_by(running, a);
	awaited_by(a, b);
	awaited_by(b, a);
	look(running);
	assert_string_equal(shown(), "2 |3 ");
	assert_int_equal(s->await.cause, WAIT_TASK_CYCLE);
	awaited_by(b, running);
	look(running);
	assert_string_equal(shown(), "2 |3 ");
	assert_int_equal(s->await.cause, WAIT_TASK_CYCLE);
}

TEST(too_much)
{
	__u64 inner = task(coroutine(CODE(1), 0, tasks.executing)), running = inner, chain = 0;

	for (int i = 0; i < AWAIT_TASKS + 1; i++) {
		const __u64 outer = task(coroutine(CODE(2), inner, tasks.awaiting[0]));

		awaited_by(inner, outer);
		inner = outer;
	}
	look(running);
	assert_int_equal(s->await.tasks, AWAIT_TASKS);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
	for (int i = 0; i < AWAIT_FRAMES + 1; i++)
		chain = coroutine(CODE(3), chain, tasks.awaiting[0]);
	awaited_by(running, task(chain));
	look(running);
	assert_int_equal(s->await.depth, AWAIT_FRAMES);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
}

TEST(strange_coroutines)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing)), stranger = make(32);
	__u64 ring;

	at(stranger)[1] = types[STRANGER];
	awaited_by(running, task(coroutine(CODE(2), stranger, tasks.awaiting[0])));
	look(running); /* it awaits what is no coroutine */
	assert_string_equal(shown(), "2 ");
	awaited_by(running, task(coroutine(CODE(2), 0, tasks.executing)));
	look(running); /* it stands in the stack already: it has begun the task that runs */
	assert_string_equal(shown(), "");
	assert_int_equal(s->await.cause, WAIT_CAUSES);
	awaited_by(running, task(coroutine(CODE(2), 0, 99)));
	look(running); /* it has ended */
	assert_string_equal(shown(), "");
	ring = wrapper(0);
	at(ring)[2] = ring;
	awaited_by(running, task(ring));
	look(running);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
	awaited_by(running, BASE + sizeof(memory) - 8);
	look(running); /* it cannot be read */
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
}

/* Three tasks and a set, in the memory behind `from`. Returns the one that runs. */
static __u64 family(__u32 from)
{
	__u64 running, by[2], last;

	memset(&memory[from], 0, sizeof(memory) - from * sizeof(memory[0]));
	used = from;
	running = task(coroutine(CODE(1), 0, tasks.executing));
	last = coroutine(CODE(3), running, tasks.awaiting[1]);
	by[0] = task(coroutine(CODE(2), wrapper(last), tasks.awaiting[0]));
	by[1] = task(coroutine(CODE(2), running, tasks.awaiting[0]));
	awaited_by_set(running, by, 2, 8);
	awaited_by(by[0], task(coroutine(CODE(4), by[0], tasks.awaiting[0])));
	return running;
}

static void is_bounded(void)
{
	assert_true(s->await.tasks <= AWAIT_TASKS && s->await.depth <= AWAIT_FRAMES);
	assert_true(s->await.cause <= WAIT_CAUSES);
	for (__u32 t = 0; t < s->await.tasks; t++)
		assert_true(s->await.begin[t] <= s->await.end[t] && s->await.end[t] <= s->await.depth);
	for (__u32 i = 0; i < s->await.depth; i++)
		assert_true(mem_plausible(s->walk.frames[AWAIT_FIRST + i].code));
}

/* Some words of it are others: a word of the family, an address in it, or anything. */
TEST(words_that_are_others)
{
	const __u32 from = used;
	__u32 changed = 0;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		const __u64 running = family(from);

		for (int i = rand() % 5; i >= 0; i--) {
			const __u64 words[] = { memory[from + (__u32)rand() % (used - from)],
						BASE + 8 * (from + (__u64)rand() % (used - from)),
						(__u64)rand() << 40 ^ (__u64)rand() << 20 ^ (__u64)rand() };

			memory[from + (__u32)rand() % (used - from)] = words[rand() % 3];
		}
		look(running);
		if (!s->await.frame)
			continue;
		is_bounded();
		changed += strcmp(shown(), "+2 3 |4 ") != 0;
	}
	assert_true(changed > 1000); /* or the words were none that count */
}

/* It is the time of the whole sample, of which others may have had their part. */
TEST(when_the_time_is_over)
{
	const __u64 running = task(coroutine(CODE(1), 0, tasks.executing));
	__u64 last = running;

	for (__u32 i = 0; i < AWAIT_TASKS - 2; i++) {
		const __u64 by = task(coroutine(CODE(i + 2), last, tasks.awaiting[0]));

		awaited_by(last, by);
		last = by;
	}
	look(running);
	assert_int_equal(s->await.cause, WAIT_CAUSES);
	assert_int_equal(s->await.tasks, AWAIT_TASKS - 2);
	s->walk.patience = s->walk.deadline = 1;
	look(running);
	assert_int_equal(s->await.cause, WAIT_TASK_CUT);
	assert_in_range(s->await.tasks, 1, LATE_STEPS);
	assert_int_equal(s->walk.deadline, 1);
}

AROUND_EACH(setup, teardown);
