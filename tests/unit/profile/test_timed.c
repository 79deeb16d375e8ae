// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_timed.c - a profile and what the log has of the same time become one: samples, spans and moments of
 * the log, and the CPU time that the kernel's account says, of which nothing is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/timed.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static struct profile *whole, *logged, *made;

static void open_both(__u32 events, bool timed)
{
	struct profile_info info = { .events = events, .period_ns = 10, .start_unix_ns = 1000, .timed = timed,
				     .duration_ns = 90, .ticks_came = 3, .ticks_wanted = 4, .unlooked = 2 };

	assert_int_equal(profile_new(&info, &whole), 0);
	info = (struct profile_info){ .events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | events,
				      .period_ns = 1, .start_unix_ns = 1001, .duration_ns = 100 };
	assert_int_equal(profile_new(&info, &logged), 0);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(whole);
	profile_free(logged);
	profile_free(made);
	whole = logged = made = NULL;
	return 0;
}

static void add(struct profile *p, const char *name, __u32 tid, const char *span, enum event_kind kind,
		__u64 count)
{
	const struct profile_labels labels = { .pid = 7, .tid = tid, .span_id = span };
	__u32 function, place;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, "x.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &place), 0);
	assert_int_equal(profile_sample(p, kind, &place, 1, &labels, count), 0);
}

static void note(enum event_kind kind, __u64 begin, __u64 end, __u64 amount)
{
	const struct moment m = { begin, end, amount, profile_last_sample(logged), kind };

	assert_int_equal(profile_moment(logged, &m), 0);
}

static __u64 time_of(const struct profile *p, const char *span)
{
	__u64 sum = 0;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(p, id);

		if (!strcmp(profile_get_labels(p, s.owner).span_id, span))
			sum += s.counts[PROFILE_TIME];
	}
	return sum;
}

TEST(the_log_tells_more)
{
	const struct profile_info *info;

	open_both(EVENT_BIT(EVENT_CPU), false);
	add(whole, "f", 1, NULL, EVENT_CPU, 5);
	add(logged, "g", 1, NULL, EVENT_OFFCPU, 9); /* nobody asked for that */
	note(EVENT_OFFCPU, 2, 11, 9);
	add(logged, "f", 1, "1", EVENT_CPU, 3);
	note(EVENT_CPU, 10, 30, 3);
	add(logged, "f", 1, "2", EVENT_CPU, 2);
	note(EVENT_CPU, 40, 50, 2);
	assert_true(timed_can_be(whole));
	assert_int_equal(timed_make(whole, logged, &made), 0);
	assert_int_equal(profile_count(made, PROFILE_SAMPLE), 2);
	assert_int_equal(profile_total_of(made, EVENT_CPU), 5);
	assert_string_equal(profile_get_labels(made, profile_get_sample(made, 2).owner).span_id, "2");
	assert_int_equal(profile_moments(made)->count, 2);
	assert_int_equal(profile_moments(made)->list[1].sample, 2);
	assert_int_equal(profile_moments(made)->list[1].end, 50);
	info = profile_get_info(made);
	assert_int_equal(info->events, EVENT_BIT(EVENT_CPU));
	assert_int_equal(info->period_ns, 10);
	assert_int_equal(info->start_unix_ns, 1001);
	assert_int_equal(info->duration_ns, 100);
	assert_int_equal(info->ticks_wanted, 4);
	assert_int_equal(info->unlooked, 2);
}

/* What a thread has by the account is shared by its ticks; nothing is left over. */
TEST(time_of_the_account)
{
	open_both(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), true);
	add(whole, "f", 1, NULL, EVENT_CPU, 3);
	add(whole, "f", 1, NULL, PROFILE_TIME, 100);
	add(whole, "g", 2, NULL, EVENT_CPU, 1); /* a tick that the log has in another interval */
	add(whole, "g", 2, NULL, PROFILE_TIME, 50);
	add(whole, "[no tick]", 3, NULL, PROFILE_TIME, 7);
	add(logged, "f", 1, "1", EVENT_CPU, 1);
	add(logged, "h", 1, "2", EVENT_CPU, 1);
	add(logged, "h", 1, "3", EVENT_CPU, 1);
	add(logged, "h", 4, "4", EVENT_CPU, 1); /* a thread of which the account says nothing */
	assert_int_equal(timed_make(whole, logged, &made), 0);
	assert_int_equal(profile_total(made), 157);
	assert_int_equal(profile_total_of(made, EVENT_CPU), 4);
	assert_int_equal(time_of(made, "1"), 33);
	assert_int_equal(time_of(made, "2"), 33);
	assert_int_equal(time_of(made, "3"), 34);
	assert_int_equal(time_of(made, "4"), 0);
	assert_int_equal(time_of(made, ""), 57);
}

TEST(sums_have_no_time)
{
	open_both(EVENT_BIT(EVENT_WALL), false);
	assert_false(timed_can_be(whole));
}

TEST(without_memory)
{
	int err = 1;

	if (!fail_malloc_works())
		skip();
	open_both(EVENT_BIT(EVENT_CPU), true);
	add(whole, "f", 1, NULL, EVENT_CPU, 3);
	add(whole, "f", 1, NULL, PROFILE_TIME, 100);
	add(whole, "g", 2, NULL, PROFILE_TIME, 5);
	add(logged, "f", 1, "1", EVENT_CPU, 3);
	note(EVENT_CPU, 10, 30, 3);
	for (int n = 0; err; n++) {
		allocations_left = n;
		err = timed_make(whole, logged, &made);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		assert_true(!err == !!made);
	}
	assert_int_equal(profile_total(made), 105);
}

AROUND_EACH(NULL, teardown);
