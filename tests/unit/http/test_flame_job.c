// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_flame_job.c - a thread that encodes: what it makes is what the caller would have made, and it can be
 * stopped.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "tests/forge/tables.h"

#include "http/flame_job.h"
#include "profile/flamegraph.h"

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

static void wait_until_done(const struct flame_job *job)
{
	struct pollfd p = { .fd = event, .events = POLLIN };

	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(flame_job_is_done(job));
}

static void makes_the_same(void **state)
{
	struct profile_filter filter = {};
	struct flame_job *job;
	_cleanup_buf_ struct buf expected = {}, out = {};

	(void)state;
	run();
	assert_int_equal(flamegraph_encode(profile, &expected), 0);
	assert_int_equal(flame_job_start(&job, profile, &filter, event), 0);
	assert_true(profile_filter_is_empty(flame_job_filter(job)));
	wait_until_done(job);
	assert_int_equal(flame_job_end(job, &out), 0);
	assert_int_equal(out.size, expected.size);
	assert_memory_equal(out.data, expected.data, out.size);
}

static void of_a_part(void **state)
{
	struct profile_filter filter = {};
	_cleanup_buf_ struct buf out = {};
	struct flame_job *job;

	(void)state;
	run();
	assert_int_equal(profile_filter_set(&filter, "pid", "200"), 0);
	assert_int_equal(flame_job_start(&job, profile, &filter, event), 0);
	wait_until_done(job);
	assert_string_equal(flame_job_filter(job)->values[LABEL_pid], "200");
	assert_int_equal(flame_job_end(job, &out), 0);
	assert_null(memmem(out.data, out.size, "outer", 5));
	assert_non_null(memmem(out.data, out.size, "inner", 5));
}

#define STACKS 100000
#define FRAMES 60

/* A profile that takes a while: many different stacks, which are compared down to their leaves. */
static struct profile *large_profile(void)
{
	const struct profile_labels labels = { .pid = 1, .comm = "py" };
	__u32 locations[2], stack[FRAMES];
	struct profile *p;

	assert_int_equal(profile_new(profile_get_info(profile), &p), 0);
	for (int i = 0; i < 2; i++) {
		__u32 function;

		assert_int_equal(profile_function(p, FRAME_PYTHON, i ? "a" : "b", "f.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &locations[i]), 0);
	}
	for (__u32 n = 0; n < STACKS; n++) {
		for (__u32 i = 0; i < FRAMES; i++) /* leaf first: the bits of a number, mixed */
			stack[i] = locations[i < 32 && (n * 2654435761U) >> i & 1];
		assert_int_equal(profile_sample(p, EVENT_CPU, stack, FRAMES, &labels, 1), 0);
	}
	return p;
}

/* That it had no time to be done is likely, not certain: another try. */
static void can_be_stopped(void **state)
{
	_cleanup_profile_ struct profile *large = NULL;
	struct profile_filter filter = {};
	int err = 0;

	(void)state;
	run();
	large = large_profile();
	for (int i = 0; i < 10 && !err; i++) {
		_cleanup_buf_ struct buf out = {};
		struct flame_job *job;

		assert_int_equal(flame_job_start(&job, large, &filter, event), 0);
		err = flame_job_end(job, &out);
		assert_int_equal(!out.size, err != 0);
	}
	assert_int_equal(err, -ECANCELED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_job, teardown_job)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_the_same),
		TEST(of_a_part),
		TEST(can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
