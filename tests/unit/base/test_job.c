// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_job.c - a thread that works while the caller goes on: its end is told once, it can be waited for,
 * stopped or left alone, and what it was given is freed once.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/job.h"
#include "tests/forge/test.h"

struct work {
	bool until_stopped;
	int result, nice;
};

static int event, freed;

static int work(void *context, const bool *stop)
{
	struct work *w = context;

	w->nice = getpriority(PRIO_PROCESS, 0);
	while (w->until_stopped && !__atomic_load_n(stop, __ATOMIC_RELAXED))
		usleep(100);
	return w->until_stopped ? -ECANCELED : w->result;
}

static void free_work(void *context)
{
	free(context);
	__atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
}

static const struct job_kind kind = { work, free_work };

static struct work *new_work(struct work w)
{
	struct work *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	*copy = w;
	return copy;
}

static struct job *start(struct work w)
{
	struct job *job;

	assert_int_equal(job_start(&job, &kind, new_work(w), event), 0);
	return job;
}

static bool is_told(int limit_ms)
{
	struct pollfd p = { .fd = event, .events = POLLIN };
	eventfd_t count;

	if (!poll(&p, 1, limit_ms))
		return false;
	assert_int_equal(eventfd_read(event, &count), 0);
	assert_int_equal(count, 1);
	return true;
}

static int setup(void **state)
{
	(void)state;
	freed = 0;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(event);
	return 0;
}

TEST(its_end_is_told)
{
	struct job *job = start((struct work){ .result = -EPERM });

	assert_true(is_told(60000));
	assert_true(job_is_done(job));
	assert_int_equal(job_wait(job), -EPERM);
	assert_int_equal(freed, 0);
	job_free(job);
	assert_int_equal(freed, 1);
}

/* Only the thread: the caller's own is as before. */
TEST(it_has_less_priority)
{
	const int before = getpriority(PRIO_PROCESS, 0);
	struct job *job = start((struct work){});

	assert_int_equal(job_wait(job), 0);
	assert_true(((struct work *)job_context(job))->nice > before || before == 19);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	job_free(job);
	assert_true(is_told(0));
}

TEST(it_can_be_stopped)
{
	struct job *job = start((struct work){ .until_stopped = true });

	assert_false(is_told(20));
	assert_false(job_is_done(job));
	assert_int_equal(job_stop(job), -ECANCELED);
	assert_true(job_is_done(job));
	job_free(job);
	assert_int_equal(freed, 1);
}

/* Done or not: it is not heard of again, and it is freed once. */
TEST(it_can_be_left_alone)
{
	job_abandon(NULL);
	for (int i = 0; i < 200; i++) {
		struct job *job = start((struct work){ .until_stopped = i % 2 == 0 });

		if (i % 2)
			assert_true(is_told(60000));
		job_abandon(job);
	}
	for (int ms = 0; ms < 60000 && __atomic_load_n(&freed, __ATOMIC_RELAXED) < 200; ms++)
		usleep(1000);
	assert_int_equal(freed, 200);
	assert_false(is_told(0));
}

AROUND_EACH(setup, teardown);
