// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_timeline.c - lines of time of threads: whose pieces they are, how long a tick stands for, and that no
 * two pieces overlap.
 */
#include <stdio.h>

#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/timeline.h"
#include "tests/forge/test.h"

static struct profile *profile;
static __u32 location;

static int setup(void **state)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
		.period_ns = 100,
		.duration_ns = 10000,
	};
	__u32 function;

	(void)state;
	return profile_new(&info, &profile) ?:
	       profile_function(profile, FRAME_PYTHON, "f", "a.py", 1, &function) ?:
	       profile_location(profile, function, 2, 0, 0, &location);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static void add(__u32 tid, const char *gil, enum event_kind kind, __u64 begin, __u64 end)
{
	const struct profile_labels labels = { .pid = 12, .tid = tid, .gil = gil };

	assert_int_equal(profile_sample(profile, kind, &location, 1, &labels, 1), 0);
	assert_int_equal(profile_moment(profile, &(struct moment){ begin, end, 1,
								   profile_last_sample(profile), kind }),
			 0);
}

/* "tid: begin-end kind, ...", "at begin" for those without time. */
static const char *lines(void)
{
	static char text[1000];
	struct timeline t;
	size_t used = 0;

	text[0] = '\0';
	assert_int_equal(timeline_new(&t, profile), 0);
	for (size_t i = 0; i < t.count; i++) {
		used += snprintf(text + used, sizeof(text) - used,
				 "%u:", profile_get_owner(profile, t.threads[i].owner)->tid);
		for (size_t k = 0; k < t.threads[i].count; k++) {
			const struct timeline_piece *p = &t.threads[i].pieces[k];

			used += p->has_time ? snprintf(text + used, sizeof(text) - used, " %llu-%llu %u",
						       p->begin, p->end, p->kind)
					    : snprintf(text + used, sizeof(text) - used, " at %llu %u",
						       p->begin, p->kind);
		}
		used += snprintf(text + used, sizeof(text) - used, "\n");
	}
	timeline_free(&t);
	return text;
}

TEST(each_thread_has_a_line)
{
	add(14, "", EVENT_OFFCPU, 500, 600);
	add(13, "holds", EVENT_OFFCPU, 300, 400);
	add(14, "", EVENT_OFFCPU, 100, 200);
	add(13, "released", EVENT_OFFCPU, 100, 200);
	assert_string_equal(lines(), "13: 100-200 1 300-400 1\n14: 100-200 1 500-600 1\n");
}

TEST(a_tick_lasts_until_the_next_piece)
{
	add(13, "", EVENT_CPU, 100, 300); /* a run of three, and soon after it: */
	add(13, "", EVENT_CPU, 440, 440);
	add(13, "", EVENT_OFFCPU, 480, 900);
	add(13, "", EVENT_CPU, 950, 950);   /* nothing for long */
	add(13, "", EVENT_CPU, 9950, 9950); /* up to the profile's end */
	assert_string_equal(lines(), "13: 100-440 0 440-480 0 480-900 1 950-1050 0 9950-10000 0\n");
}

TEST(pieces_do_not_overlap)
{
	add(13, "", EVENT_CPU, 100, 300);
	add(13, "", EVENT_CPU, 200, 200); /* of another CPU, in the run */
	add(13, "", EVENT_OFFCPU, 150, 250);
	add(13, "", EVENT_OFFCPU, 700, 700); /* time of others */
	assert_string_equal(lines(), "13: 100-150 0 150-250 1 250-300 0 at 700 1\n");
}

TEST(nothing)
{
	assert_string_equal(lines(), "");
}

AROUND_EACH(setup, teardown);
