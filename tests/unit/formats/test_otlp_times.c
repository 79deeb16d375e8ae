// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_times.c - the times of a profile's samples: a run of ticks one by one, a wait by its begin; and
 * none where not all that was counted has one, or one lies outside.
 */
#include <stdio.h>

#include "formats/otlp_times.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

#define START 1700000000000000000ULL

static struct profile *p;
static struct otlp_times times;

static int setup(void **state)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
						  .period_ns = 10,
						  .start_unix_ns = START,
						  .duration_ns = 100 };
	const struct profile_labels labels = { .pid = 1 };
	__u32 function, place[2];

	(void)state;
	if (profile_new(&info, &p))
		return -1;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(profile_function(p, FRAME_PYTHON, i ? "g" : "f", "x.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &place[i]), 0);
	}
	assert_int_equal(profile_sample(p, EVENT_CPU, &place[0], 1, &labels, 4), 0);
	assert_int_equal(profile_sample(p, EVENT_OFFCPU, &place[0], 1, &labels, 30), 0);
	return profile_sample(p, EVENT_CPU, &place[1], 1, &labels, 2);
}

static int teardown(void **state)
{
	(void)state;
	otlp_times_close(&times);
	profile_free(p);
	return 0;
}

static void note(__u32 sample, enum event_kind kind, __u64 begin, __u64 end, __u64 amount)
{
	assert_int_equal(profile_moment(p, &(struct moment){ begin, end, amount, sample, kind }), 0);
}

struct shown {
	char text[512];
	size_t used;
};

static int show(void *context, __s64 value, __u64 unix_ns)
{
	struct shown *s = context;

	s->used +=
		snprintf(s->text + s->used, sizeof(s->text) - s->used, "%lld@%llu;", value, unix_ns - START);
	return 0;
}

/* "value@ns after the start;" of each. */
static const char *shown(__u32 sample, enum event_kind kind, __u64 scale)
{
	static struct shown all;

	all = (struct shown){};
	assert_int_equal(otlp_times_give(&times, sample, kind, scale,
					 &(struct otlp_times_taker){ show, &all }),
			 0);
	return all.text;
}

TEST(each_value_has_its_time)
{
	note(2, EVENT_CPU, 99, 99, 2);
	note(1, EVENT_OFFCPU, 70, 100, 30);
	note(1, EVENT_CPU, 50, 50, 1);
	note(1, EVENT_CPU, 5, 25, 3);
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_true(otlp_times_are_there(&times));
	assert_string_equal(shown(1, EVENT_CPU, 1), "1@5;1@15;1@25;1@50;");
	assert_string_equal(shown(1, EVENT_CPU, 10), "10@5;10@15;10@25;10@50;");
	assert_string_equal(shown(1, EVENT_OFFCPU, 1), "30@70;");
	assert_string_equal(shown(2, EVENT_CPU, 1), "2@99;");
	assert_string_equal(shown(2, EVENT_OFFCPU, 1), "");
}

TEST(not_of_all)
{
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_false(otlp_times_are_there(&times));
	note(2, EVENT_CPU, 99, 99, 2);
	note(1, EVENT_CPU, 50, 50, 4);
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_false(otlp_times_are_there(&times)); /* the wait has none */
	note(1, EVENT_OFFCPU, 0, 30, 30);
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_true(otlp_times_are_there(&times));
}

TEST(outside)
{
	note(1, EVENT_CPU, 50, 50, 4);
	note(1, EVENT_OFFCPU, 0, 30, 30);
	note(2, EVENT_CPU, 90, 100, 2); /* the first ns behind it */
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_false(otlp_times_are_there(&times));
}

/* Three ticks share 100 ns; what no tick has seen is counted at the end. */
TEST(time_of_the_account)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10,
						  .start_unix_ns = START, .duration_ns = 100, .timed = true };
	const struct profile_labels labels = { .pid = 1 };
	__u32 function, place[2];

	profile_free(p);
	assert_int_equal(profile_new(&info, &p), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(profile_function(p, FRAME_PYTHON, i ? "g" : "f", "x.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &place[i]), 0);
	}
	assert_int_equal(profile_sample(p, EVENT_CPU, &place[0], 1, &labels, 3), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &place[0], 1, &labels, 100), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &place[1], 1, &labels, 7), 0);
	note(1, EVENT_CPU, 5, 15, 2);
	note(1, EVENT_CPU, 90, 90, 1);
	assert_int_equal(otlp_times_open(&times, p), 0);
	assert_true(otlp_times_are_there(&times));
	assert_string_equal(shown(1, EVENT_CPU, 0), "33@5;33@15;34@90;");
	assert_string_equal(shown(2, EVENT_CPU, 0), "7@99;");
	assert_string_equal(shown(1, EVENT_CPU, 1), "1@5;1@15;1@90;");
}

AROUND_EACH(setup, teardown);
