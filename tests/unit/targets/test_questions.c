// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_questions.c - questions to a real worker about this process: each is answered once, by its tag, and
 * what it is about is remembered until then.
 */
#include "tests/forge/fail_malloc.h"
#include "tests/unit/targets/parts.h"

#include "proc/procfs.h"
#include "targets/questions.h"

#define TICK_NS (NS_PER_SECOND / sysconf(_SC_CLK_TCK))

static struct questions *questions;
static __u64 start_time; /* of this process, ns since boot */

static int setup(void **state)
{
	__u64 ticks;
	int err = open_parts(state) ?: procfs_start_ticks(getpid(), &ticks);

	start_time = err ? 0 : ticks * TICK_NS;
	return err ?: questions_new(&questions, worker);
}

static int teardown(void **state)
{
	questions_free(TAKE_PTR(questions));
	return close_parts(state);
}

/* Its tag. */
static __u64 ask(__u32 code)
{
	struct question about = { .process_id = 5, .code = code, .table = 77, .first_line = -3 };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);

	assert_int_equal(questions_ask(questions, &about, &r), 0);
	return r.tag;
}

static void each_is_answered_once(void **state)
{
	struct worker_reply reply;
	struct question q = { .code = 1000 };
	__u64 tags[3];

	(void)state;
	assert_int_equal(questions_pending(questions), 0);
	assert_false(questions_take(questions, 0, &q));
	for (int i = 0; i < 3; i++)
		tags[i] = ask(i);
	assert_int_equal(questions_pending(questions), 3);
	assert_false(questions_take(questions, tags[2] + 1, &q));
	assert_int_equal(q.code, 1000);
	for (int i = 0; i < 3; i++) {
		receive(&reply);
		assert_int_equal(reply.error, 0);
		assert_int_equal(reply.type, WORKER_CONTAINER);
		assert_int_equal(reply.tag, tags[i]);
		assert_true(questions_take(questions, reply.tag, &q));
		assert_int_equal(q.code, i);
		assert_int_equal(q.process_id, 5);
		assert_int_equal(q.table, 77);
		assert_int_equal(q.first_line, -3);
		assert_false(questions_take(questions, reply.tag, &q));
		assert_int_equal(questions_pending(questions), 2 - i);
	}
}

/* The kernel side knows when a process began to the ns, /proc only to the tick in which that was. */
static void is_about_that_process_alone(void **state)
{
	static const struct {
		int ticks, ns, error;
	} rows[] = { { 0, 0, 0 }, { 1, -1, 0 }, { 1, 0, -ESRCH }, { 0, -1, -ESRCH } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct question about = { .code = i };
		struct worker_reply reply;
		struct worker_request r = question_request(WORKER_CONTAINER, getpid(),
							   start_time + rows[i].ticks * TICK_NS + rows[i].ns);

		assert_int_equal(questions_ask(questions, &about, &r), 0);
		receive(&reply);
		assert_int_equal(reply.error, rows[i].error);
	}
}

static void no_question_without_room(void **state)
{
	struct question about = { .code = 1 };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct worker_reply reply;

	(void)state;
	for (__u32 i = 0; i < WORKER_QUEUE; i++)
		ask(i);
	assert_int_equal(questions_ask(questions, &about, &r), -EAGAIN);
	assert_int_equal(questions_pending(questions), WORKER_QUEUE);
	receive(&reply);
	assert_true(questions_take(questions, reply.tag, &about));
	ask(WORKER_QUEUE);
	assert_int_equal(questions_pending(questions), WORKER_QUEUE);
	r.type = 0; /* which the worker does not know */
	assert_int_equal(questions_ask(questions, &about, &r), -EINVAL);
	assert_int_equal(questions_pending(questions), WORKER_QUEUE);
}

static void numbers_that_mean_others_now(void **state)
{
	struct kernel_range range = { 11, 13 };
	static const __u32 expected[] = { 10, 0, 0, 13 };
	__u64 tags[4];
	struct question q;

	(void)state;
	for (int i = 0; i < 4; i++)
		tags[i] = ask(10 + i);
	questions_forget_codes(questions, range);
	assert_int_equal(questions_pending(questions), 4);
	for (int i = 0; i < 4; i++) {
		assert_true(questions_take(questions, tags[i], &q));
		assert_int_equal(q.code, expected[i]);
		assert_int_equal(q.process_id, 5);
	}
}

static void take_it(void *context, struct worker_reply *reply)
{
	(void)context;
	(void)reply;
}

/* They are not waited for by those who wait for all that is pending, and can be forgotten. */
static void questions_of_others(void **state)
{
	int one, other;
	const struct question of_one = { .answer = take_it, .context = &one },
			      of_other = { .answer = take_it, .context = &other };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct question q;
	__u64 tags[2];

	(void)state;
	assert_int_equal(questions_ask(questions, &of_one, &r), 0);
	tags[0] = r.tag;
	assert_int_equal(questions_ask(questions, &of_other, &r), 0);
	tags[1] = r.tag;
	ask(1);
	assert_int_equal(questions_pending(questions), 1);
	questions_forget_context(questions, &one);
	assert_false(questions_take(questions, tags[0], &q));
	assert_true(questions_take(questions, tags[1], &q));
	assert_ptr_equal(q.answer, take_it);
	assert_ptr_equal(q.context, &other);
	assert_int_equal(questions_pending(questions), 1);
}

/* The request may be with the worker by then: its answer finds no question. */
static void no_question_without_memory(void **state)
{
	struct question about = { .code = 1 };
	struct worker_request r = question_request(WORKER_CONTAINER, getpid(), start_time);
	struct worker_reply reply;
	int err = -ENOMEM, failures = 0;

	(void)state;
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (; err; failures++) {
		allocations_left = failures;
		err = questions_ask(questions, &about, &r);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		assert_int_equal(questions_pending(questions), !err);
	}
	assert_true(failures > 2);
	do
		receive(&reply);
	while (!questions_take(questions, reply.tag, &about));
	assert_int_equal(reply.tag, r.tag);
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
	allocations_left = 0;
	assert_int_equal(questions_new(&(struct questions *){ NULL }, worker), -ENOMEM);
	allocations_left = -1;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_is_answered_once),
		TEST(is_about_that_process_alone),
		TEST(no_question_without_room),
		TEST(numbers_that_mean_others_now),
		TEST(questions_of_others),
		TEST(no_question_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
