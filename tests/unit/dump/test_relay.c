// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_relay.c - a thread asks a real worker by way of a loop, which is the test: each question is answered
 * once, in time or with an error, and no answer is left over.
 */
#include <pthread.h>
#include <sys/eventfd.h>

#include "tests/forge/test.h"
#include "tests/unit/targets/discovering.h"

#include "dump/relay.h"
#include "proc/procfs.h"

#define LONG 1000 /* seconds: longer than any test */

static struct relay *relay;
static int event;

struct asking {
	pthread_t thread;
	struct worker_request request;
	struct worker_reply reply;
	int err;
};

static void *ask_it(void *context)
{
	struct asking *a = context;

	a->err = relay_ask(relay, &a->request, &a->reply);
	return NULL;
}

/* Asks about this process, and returns when the loop is told so. */
static void start_asking(struct asking *a, __u32 type)
{
	struct pollfd told = { .fd = event, .events = POLLIN };
	eventfd_t count;

	*a = (struct asking){ .request = { .type = type, .pid = getpid() }, .err = 1 };
	assert_int_equal(procfs_start_ticks(getpid(), &a->request.start_ticks), 0);
	assert_int_equal(pthread_create(&a->thread, NULL, ask_it, a), 0);
	assert_int_equal(poll(&told, 1, PATIENCE_SECONDS * 1000), 1);
	assert_int_equal(eventfd_read(event, &count), 0);
}

static void begin_relay(double seconds)
{
	begin();
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(relay_new(&relay, discover_questions(discover), event, seconds), 0);
}

static int teardown_relay(void **state)
{
	relay_free(TAKE_PTR(relay));
	if (event > 0)
		close(event);
	event = 0;
	return teardown(state);
}

static void take_reply(void)
{
	wait_for_worker();
	discover_replies(discover);
}

static bool is_answered(struct asking *a)
{
	return !pthread_tryjoin_np(a->thread, NULL);
}

static void turn_until_answered(struct asking *a)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	while (!is_answered(a)) {
		assert_true(clock_seconds() < end);
		assert_false(relay_pass_on(relay));
		discover_replies(discover);
		usleep(1000);
	}
}

TEST(each_question_is_answered)
{
	struct asking a;

	begin_relay(LONG);
	for (int i = 0; i < 3; i++) {
		start_asking(&a, WORKER_MAPS);
		turn_until_answered(&a);
		assert_int_equal(a.err, 0);
		assert_int_equal(a.reply.type, WORKER_MAPS);
		assert_int_equal(a.reply.pid, getpid());
		assert_non_null(a.reply.table);
		free(a.reply.table);
		assert_int_equal(discover_pending(discover), 0);
	}
	start_asking(&a, 0);
	turn_until_answered(&a);
	assert_int_equal(a.err, -EINVAL);
	assert_false(relay_is_over(relay));
}

/* What others wait for does not wait for this. */
TEST(it_counts_for_nobody_else)
{
	struct asking a;

	begin_relay(LONG);
	start_asking(&a, WORKER_CONTAINER);
	assert_false(relay_pass_on(relay));
	assert_int_equal(discover_pending(discover), 0);
	assert_false(is_answered(&a));
	turn_until_answered(&a);
	assert_int_equal(a.err, 0);
}

TEST(a_worker_without_room)
{
	struct asking a;

	begin_relay(LONG);
	assert_true(fill_worker() >= 2);
	start_asking(&a, WORKER_CONTAINER);
	assert_true(relay_pass_on(relay));
	take_replies();
	turn_until_answered(&a);
	assert_int_equal(a.err, 0);
}

/* The answer comes later, and nobody is left who would take it. */
TEST(nobody_waits_after_the_end)
{
	struct worker_reply reply;
	struct asking a;

	begin_relay(LONG);
	start_asking(&a, WORKER_MAPS);
	assert_false(relay_pass_on(relay));
	relay_close(relay);
	pthread_join(a.thread, NULL);
	assert_int_equal(a.err, -ECANCELED);
	assert_true(relay_is_over(relay));
	assert_int_equal(relay_ask(relay, &a.request, &reply), -ECANCELED);
	relay_free(TAKE_PTR(relay));
	take_reply();
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
}

TEST(a_time_that_is_over)
{
	struct asking a;

	begin_relay(0.5);
	a = (struct asking){ .request = { .type = WORKER_MAPS, .pid = getpid() }, .err = 1 };
	ask_it(&a); /* no loop turns, and it ends all the same */
	assert_int_equal(a.err, -ETIMEDOUT);
	assert_true(relay_is_over(relay));
	assert_false(relay_pass_on(relay));
	ask_it(&a);
	assert_int_equal(a.err, -ETIMEDOUT);
	assert_int_equal(worker_receive(worker, &a.reply), -EAGAIN);
}

AROUND_EACH(open_parts, teardown_relay);
AROUND_ALL(NULL, close_kernel);
