// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_encode_job.c - a thread that encodes a profile: what it makes is what the caller would have made, and
 * it can be left alone.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "tests/forge/tables.h"

#include "http/encode_job.h"

static int event;

static int setup_job(void **state)
{
	int err = setup(state);

	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 1);
	set_root(7, 2, 0);
	set_node(8, 7, 101, 1, 3);
	return err;
}

static int teardown_job(void **state)
{
	close(event);
	return teardown(state);
}

/* A copy of the profile, which a job takes over. */
static struct profile *copy(void)
{
	struct profile_filter all = {};
	struct profile *p = NULL;

	assert_int_equal(profile_filter_apply(&all, profile, &p), 0);
	return p;
}

static void wait_for(const struct encode_job *job)
{
	struct pollfd p = { .fd = event, .events = POLLIN };
	eventfd_t count;

	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(encode_job_is_done(job));
	assert_int_equal(eventfd_read(event, &count), 0);
	assert_int_equal(count, 1);
}

static void every_format(void **state)
{
	struct profile_filter filter = {};

	(void)state;
	run();
	for (int i = 0; i < FORMATS; i++) {
		_cleanup_profile_ struct profile *same = copy();
		_cleanup_buf_ struct buf expected = {}, out = {};
		struct encode_job *job;

		assert_int_equal(format_rows[i].encode(same, &expected), 0);
		assert_int_equal(encode_job_start(&job, copy(), &filter, i, event), 0);
		wait_for(job);
		assert_int_equal(encode_job_end(job, &out), 0);
		assert_int_equal(out.size, expected.size);
		assert_memory_equal(out.data, expected.data, out.size);
	}
}

static void of_a_part(void **state)
{
	struct profile_filter filter = {};
	_cleanup_buf_ struct buf out = {};
	struct encode_job *job;

	(void)state;
	run();
	assert_int_equal(profile_filter_set(&filter, "pid", "200"), 0);
	assert_int_equal(encode_job_start(&job, copy(), &filter, FORMAT_FOLDED, event), 0);
	assert_int_equal(encode_job_end(job, &out), 0); /* which waits */
	assert_null(memmem(out.data, out.size, "outer", 5));
	assert_non_null(memmem(out.data, out.size, "inner", 5));
}

/* Done or not: it is not heard of again, and sanitizers see whether it is freed. */
static void abandoned(void **state)
{
	struct pollfd p = { .fd = event, .events = POLLIN };
	struct profile_filter filter = {};
	struct encode_job *job;
	eventfd_t count;

	(void)state;
	run();
	encode_job_abandon(NULL);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(encode_job_start(&job, copy(), &filter, FORMAT_PPROF, event), 0);
		if (i % 2)
			assert_int_equal(poll(&p, 1, 60000), 1);
		encode_job_abandon(job);
		eventfd_read(event, &count); /* of one that was done */
		assert_int_equal(eventfd_read(event, &count), -1);
		assert_int_equal(errno, EAGAIN);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_job, teardown_job)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_format),
		TEST(of_a_part),
		TEST(abandoned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
