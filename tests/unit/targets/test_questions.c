// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_questions.c - questions to a real worker about this process: each is answered once, to whoever
 * asked, with the note that was left.
 */
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"

#include "guard/fair_queue.h"
#include "proc/procfs.h"
#include "kern/banks.h"
#include "targets/questions.h"

#define ROOM	(QUEUE_OF_PROCESS + 1) /* questions about one process; one of them is under way */
#define TICK_NS (NS_PER_SECOND / sysconf(_SC_CLK_TCK))

static struct questions *questions;
static __u64 start_time; /* of this process, ns since boot */

/* What an asker of its own remembers of a question, and what it was told. */
struct note {
	__u32 number;
	char text[100];
};

static struct asker {
	int answers, last_error;
	struct note last;
} asker, other;

static int setup(void **state)
{
	__u64 ticks;
	int err = open_parts(state) ?: procfs_start_ticks(getpid(), &ticks);

	asker = other = (struct asker){ 0 };
	start_time = err ? 0 : ticks * TICK_NS;
	return err ?: questions_new(&questions, worker);
}

static int teardown(void **state)
{
	questions_free(TAKE_PTR(questions));
	return close_parts(state);
}

static void on_answer(void *of, const void *note, struct worker_reply *reply)
{
	struct asker *a = of;

	a->answers++;
	a->last_error = reply->error;
	if (note)
		a->last = *(const struct note *)note;
}

/* Its tag. */
static __u64 ask(__u32 number)
{
	struct note note = { number, "what it is about" };
	const struct question q = { on_answer, &asker, &note, sizeof(note), false };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);

	assert_int_equal(questions_ask(questions, &q, &r), 0);
	memset(&note, 0xff, sizeof(note)); /* it was copied */
	return r.tag;
}

/* As a worker answers. Whether anybody waited for it. */
static bool answer(__u64 tag)
{
	struct worker_reply reply = { .type = WORKER_CONTAINER, .tag = tag, .error = -ETIMEDOUT };

	return questions_answer(questions, &reply);
}

TEST(each_is_answered_once)
{
	struct worker_reply reply;
	__u64 tags[3];

	assert_int_equal(questions_pending(questions), 0);
	assert_false(answer(0));
	for (int i = 0; i < 3; i++)
		tags[i] = ask(i);
	assert_int_equal(questions_pending(questions), 3);
	assert_false(answer(tags[2] + 1));
	assert_int_equal(asker.answers, 0);
	for (int i = 0; i < 3; i++) {
		receive(&reply);
		assert_int_equal(reply.error, 0);
		assert_int_equal(reply.type, WORKER_CONTAINER);
		assert_int_equal(reply.tag, tags[i]);
		assert_true(questions_answer(questions, &reply));
		assert_int_equal(asker.answers, i + 1);
		assert_int_equal(asker.last.number, i);
		assert_string_equal(asker.last.text, "what it is about");
		assert_false(questions_answer(questions, &reply));
		assert_int_equal(questions_pending(questions), 2 - i);
	}
}

/* A question that a later one has displaced is pending no more, and gets no answer. */
TEST(who_a_process_is)
{
	const struct question q = { .answer = on_answer, .asker = &asker };
	struct worker_reply reply;

	for (int i = 0; i < 3; i++) {
		struct worker_request r = question_request(WORKER_IDENTIFY, getpid(), start_time);

		assert_int_equal(questions_ask(questions, &q, &r), 0);
	}
	assert_int_equal(questions_pending(questions), 2);
	for (int i = 0; i < 2; i++) {
		receive(&reply);
		assert_true(questions_answer(questions, &reply));
	}
	assert_int_equal(asker.answers, 2);
	assert_int_equal(questions_pending(questions), 0);
}

/* One that asks again about a process that is known is answered, whoever else asks about it. */
TEST(who_a_known_process_is)
{
	const struct question q = { .answer = on_answer, .asker = &asker };
	struct worker_reply reply;

	for (int i = 0; i < 6; i++) {
		struct worker_request r = question_request(WORKER_IDENTIFY, getpid(), start_time);

		r.identity.again = i % 2;
		assert_int_equal(questions_ask(questions, &q, &r), 0);
	}
	assert_int_equal(questions_pending(questions), 3 + 2);
	for (int i = 0; i < 3 + 2; i++) {
		receive(&reply);
		assert_true(questions_answer(questions, &reply));
	}
	assert_int_equal(questions_pending(questions), 0);
}

/* An answer may ask at once, and finds that its own question is not pending any more. */
static void ask_again(void *of, const void *note, struct worker_reply *reply)
{
	(void)of;
	(void)note;
	(void)reply;
	assert_int_equal(questions_pending(questions), 0);
	ask(7);
}

TEST(an_answer_that_asks)
{
	const struct question q = { .answer = ask_again, .asker = &asker };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct worker_reply reply;

	assert_int_equal(questions_ask(questions, &q, &r), 0);
	for (int i = 0; i < 2; i++) {
		receive(&reply);
		assert_true(questions_answer(questions, &reply));
	}
	assert_int_equal(asker.last.number, 7);
	assert_int_equal(questions_pending(questions), 0);
}

/* The kernel side knows when a process began to the ns, /proc only to the tick in which that was. */
TEST(is_about_that_process_alone)
{
	static const struct {
		int ticks, ns, error;
	} rows[] = { { 0, 0, 0 }, { 1, -1, 0 }, { 1, 0, -ESRCH }, { 0, -1, -ESRCH } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct question q = { .answer = on_answer, .asker = &asker };
		struct worker_reply reply;
		struct worker_request r = question_request(WORKER_CONTAINER, getpid(),
							   start_time + rows[i].ticks * TICK_NS + rows[i].ns);

		assert_int_equal(questions_ask(questions, &q, &r), 0);
		receive(&reply);
		assert_int_equal(reply.error, rows[i].error);
	}
}

TEST(no_question_without_room)
{
	const struct question q = { .answer = on_answer, .asker = &asker };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct worker_reply reply;

	for (__u32 i = 0; i < ROOM; i++)
		ask(i);
	assert_int_equal(questions_ask(questions, &q, &r), -EAGAIN);
	assert_int_equal(questions_pending(questions), ROOM);
	receive(&reply);
	assert_true(questions_answer(questions, &reply));
	ask(ROOM);
	assert_int_equal(questions_pending(questions), ROOM);
	r.type = 0; /* which the worker does not know */
	assert_int_equal(questions_ask(questions, &q, &r), -EINVAL);
	assert_int_equal(questions_pending(questions), ROOM);
}

static void add_ten(void *count, void *note)
{
	((struct note *)note)->number += 10;
	++*(int *)count;
}

/* Whoever asked can find that it means something else by now. */
TEST(notes_can_be_changed)
{
	const struct note note = { .number = 5 };
	const struct question of_other = { on_answer, &other, &note, sizeof(note), false };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	__u64 tags[3];
	int count = 0;

	for (int i = 0; i < 3; i++)
		tags[i] = ask(i);
	assert_int_equal(questions_ask(questions, &of_other, &r), 0);
	questions_each(questions, &asker, add_ten, &count);
	assert_int_equal(count, 3);
	assert_int_equal(questions_pending(questions), 4);
	for (int i = 0; i < 3; i++) {
		assert_true(answer(tags[i]));
		assert_int_equal(asker.last.number, 10 + i);
	}
	assert_true(answer(r.tag));
	assert_int_equal(other.last.number, 5);
}

/* They are not waited for by those who wait for all that is pending. */
TEST(some_are_not_counted)
{
	const struct question q = { .answer = on_answer, .asker = &other, .uncounted = true };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);

	assert_int_equal(questions_ask(questions, &q, &r), 0);
	assert_int_equal(questions_pending(questions), 0);
	ask(1);
	assert_int_equal(questions_pending(questions), 1);
	assert_true(answer(r.tag));
	assert_int_equal(other.answers, 1);
	assert_int_equal(questions_pending(questions), 1);
}

/* Whoever is gone gets no answer. */
TEST(an_asker_that_is_gone)
{
	const struct question counted = { .answer = on_answer, .asker = &other },
			      uncounted = { .answer = on_answer, .asker = &other, .uncounted = true };
	struct worker_request r[2];
	__u64 tag = ask(1);

	for (int i = 0; i < 2; i++) {
		r[i] = question_request(WORKER_CONTAINER, getpid(), start_time);
		assert_int_equal(questions_ask(questions, i ? &uncounted : &counted, &r[i]), 0);
	}
	assert_int_equal(questions_pending(questions), 2);
	questions_forget(questions, &other);
	assert_int_equal(questions_pending(questions), 1);
	assert_false(answer(r[0].tag));
	assert_false(answer(r[1].tag));
	assert_int_equal(other.answers, 0);
	assert_true(answer(tag));
	assert_int_equal(asker.last_error, -ETIMEDOUT);
}

/* The request may be with the worker by then: its answer finds no question. */
TEST(no_question_without_memory)
{
	const struct question q = { .answer = on_answer, .asker = &asker };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct worker_reply reply;
	int err = -ENOMEM, failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (; err; failures++) {
		allocations_left = failures;
		err = questions_ask(questions, &q, &r);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		assert_int_equal(questions_pending(questions), !err);
	}
	assert_true(failures > 2);
	do
		receive(&reply);
	while (!questions_answer(questions, &reply));
	assert_int_equal(reply.tag, r.tag);
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
	allocations_left = 0;
	assert_int_equal(questions_new(&(struct questions *){ NULL }, worker), -ENOMEM);
	allocations_left = -1;
}

AROUND_EACH(setup, teardown);
