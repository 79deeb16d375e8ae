// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_encode_job.c - a thread that encodes a profile: what it makes is what the caller would have made, it
 * can be left alone, and one that makes a graph can be stopped.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "tests/forge/tables.h"

#include "base/job.h"
#include "http/encode_job.h"
#include "profile/profile.h"
#include "tests/forge/test.h"
#include "views/graph.h"

static int event;

static int setup_job(void **state)
{
	int err = setup(state);

	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 1);
	set_root(27, 2, 0);
	set_node(28, 27, 101, 1, 3);
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

static struct job *start(struct encode_work work)
{
	struct job *job;

	work.profile = work.owned ?: work.profile;
	assert_int_equal(encode_job_start(&job, &work, event), 0);
	return job;
}

static void wait_for(const struct job *job)
{
	struct pollfd p = { .fd = event, .events = POLLIN };
	eventfd_t count;

	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(job_is_done(job));
	assert_int_equal(eventfd_read(event, &count), 0);
	assert_int_equal(count, 1);
}

TEST(every_format)
{
	run();
	for (int i = 0; i < FORMATS; i++) {
		_cleanup_profile_ struct profile *same = copy();
		_cleanup_buf_ struct buf expected = {}, out = {};
		struct job *job;
		__u32 samples = 0;

		assert_int_equal(format_rows[i].encode(same, &expected), 0);
		job = start((struct encode_work){ .owned = copy(), .format = i });
		wait_for(job);
		assert_int_equal(encode_job_end(job, &out, &samples), 0);
		assert_int_equal(out.size, expected.size);
		assert_memory_equal(out.data, expected.data, out.size);
		assert_int_equal(samples, profile_count(profile, PROFILE_SAMPLE));
		assert_int_equal(samples, 2);
	}
}

/* Of a profile that stays the caller's. */
TEST(a_graph)
{
	_cleanup_buf_ struct buf expected = {}, out = {};
	struct job *job;
	__u32 samples;

	run();
	assert_int_equal(graph_encode_until(profile, NULL, &expected), 0);
	job = start((struct encode_work){ .profile = profile, .format = ENCODE_GRAPH });
	assert_ptr_equal(encode_job_work(job)->profile, profile);
	wait_for(job);
	assert_int_equal(encode_job_end(job, &out, &samples), 0);
	assert_int_equal(out.size, expected.size);
	assert_memory_equal(out.data, expected.data, out.size);
}

TEST(of_a_part)
{
	static const int formats[] = { FORMAT_FOLDED, ENCODE_GRAPH };

	run();
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct encode_work work = { .profile = profile, .format = formats[i] };
		_cleanup_buf_ struct buf out = {};
		struct job *job;
		__u32 samples = 0;

		assert_int_equal(profile_filter_set(&work.filter, "pid", "200"), 0);
		job = start(work);
		assert_string_equal(encode_job_work(job)->filter.values[LABEL_pid], "200");
		assert_int_equal(encode_job_end(job, &out, &samples), 0); /* which waits */
		assert_null(memmem(out.data, out.size, "outer", 5));
		assert_non_null(memmem(out.data, out.size, "inner", 5));
		assert_int_equal(samples, 1); /* the part's */
	}
}

/* Sanitizers see whether the profile is freed. */
TEST(abandoned)
{
	run();
	for (int i = 0; i < 50; i++)
		job_abandon(start((struct encode_work){ .owned = copy(), .format = FORMAT_PPROF }));
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
TEST(a_graph_can_be_stopped)
{
	_cleanup_profile_ struct profile *large = NULL;
	int err = 0;

	run();
	large = large_profile();
	for (int i = 0; i < 10 && !err; i++) {
		_cleanup_buf_ struct buf out = {};

		err = encode_job_stop(start((struct encode_work){ .profile = large,
								  .format = ENCODE_GRAPH }),
				      &out);
		assert_int_equal(!out.size, err != 0);
	}
	assert_int_equal(err, -ECANCELED);
}

AROUND_EACH(setup_job, teardown_job);
