// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_firefox_markers.c - which markers a thread has: from when to when all of its samples were within an
 * import, or within a collection of garbage, beside its waits and its growth, by time.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "formats/firefox_markers.h"
#include "formats/firefox_stacks.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

#define MS     1000000ULL
#define PERIOD (10 * MS)

static struct profile *p;
static __u32 module, machinery, plain; /* places */

static __u32 place(const char *name, const char *file, int line)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, file, 1, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, 0, &id), 0);
	return id;
}

static int setup(void **state)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_MEMORY),
		.period_ns = PERIOD,
		.duration_ns = 1000 * MS,
	};

	(void)state;
	if (profile_new(&info, &p))
		return -1;
	module = place("<module>", "/srv/a.py", 3);
	machinery = place("_find_and_load", "<frozen importlib._bootstrap>", 1176);
	plain = place("f", "/srv/b.py", 7);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(p);
	return 0;
}

/* A sample of one kind: what it was in is below the import machinery, or not. It was from `begin` on. */
static void note(enum event_kind kind, bool imports, const char *gc, __u64 begin, __u64 end, __u64 amount)
{
	const struct profile_labels labels = { .pid = 1, .tid = 2, .comm = "web", .thread = "t", .gc = gc };
	const __u32 outside[] = { plain, module }, inside[] = { plain, machinery, module };

	struct moment noted = { begin, end, amount, 0, kind };

	assert_int_equal(profile_sample(p, kind, imports ? inside : outside, imports ? 3 : 2, &labels,
					amount),
			 0);
	noted.sample = profile_last_sample(p);
	assert_int_equal(profile_moment(p, &noted), 0);
}

static void ticks(bool imports, const char *gc, __u64 begin_ms, __u64 count)
{
	note(EVENT_CPU, imports, gc, begin_ms * MS, (begin_ms + 10 * (count - 1)) * MS, count);
}

/* "type begin-end amount;" of each, in ms. */
static const char *shown(bool timed)
{
	static char text[1024];
	_cleanup_(firefox_stacks_free) struct firefox_stacks stacks = {};
	_cleanup_(firefox_markers_close) struct firefox_markers m = {};
	_cleanup_(timeline_free) struct timeline t = {};
	_cleanup_buf_ struct buf out = {};
	size_t used = 0;

	assert_int_equal(firefox_stacks_new(&stacks, p), 0);
	assert_int_equal(firefox_markers_open(&m, p, &stacks, timed), 0);
	assert_int_equal(timeline_new(&t, p), 0);
	assert_int_equal(t.count, 1);
	assert_int_equal(firefox_markers_write(&m, &t.threads[0], EVENT_CPU, &out), 0);
	*text = '\0';
	for (size_t i = 0; i < m.count; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s %llu-%llu %llu;",
				 firefox_marker_key(m.list[i].kind), m.list[i].begin / MS, m.list[i].end / MS,
				 m.list[i].amount);
	return text;
}

TEST(an_import_goes_on_while_ticks_follow_each_other)
{
	ticks(false, NULL, 0, 2);
	ticks(true, NULL, 20, 3);
	ticks(false, NULL, 50, 1);
	ticks(true, NULL, 60, 1);
	ticks(true, NULL, 200, 1); /* another one, as far as is known */
	assert_string_equal(shown(true), "import 20-50 30000000;import 60-70 10000000;"
					 "import 200-210 10000000;");
	assert_string_equal(shown(false), "");
}

/* A module is read from a disk that is slow. */
TEST(a_wait_within_an_import_is_part_of_it)
{
	ticks(true, NULL, 20, 1);
	note(EVENT_OFFCPU, true, NULL, 30 * MS, 300 * MS, 270 * MS);
	ticks(true, NULL, 300, 1);
	note(EVENT_OFFCPU, false, NULL, 310 * MS, 400 * MS, 90 * MS);
	assert_string_equal(shown(true), "import 20-310 290000000;offcpu 30-300 270000000;"
					 "offcpu 310-400 90000000;");
}

TEST(a_collection_ends_with_its_ticks)
{
	ticks(false, "yes", 0, 4);
	ticks(true, "yes", 40, 2);
	note(EVENT_OFFCPU, false, NULL, 60 * MS, 70 * MS, 10 * MS);
	ticks(false, "yes", 70, 1);
	assert_string_equal(shown(true), "gc 0-60 60000000;import 40-60 20000000;offcpu 60-70 10000000;"
					 "gc 70-80 10000000;");
}

TEST(growth_has_a_moment)
{
	ticks(false, NULL, 0, 1);
	note(EVENT_MEMORY, true, NULL, 5 * MS, 5 * MS, 1 << 20);
	assert_string_equal(shown(true), "memory 5-5 1048576;");
}

TEST(what_it_says)
{
	_cleanup_(firefox_stacks_free) struct firefox_stacks stacks = {};
	_cleanup_(firefox_markers_close) struct firefox_markers m = {};
	_cleanup_(timeline_free) struct timeline t = {};
	_cleanup_buf_ struct buf out = {};
	char expected[512];

	ticks(true, NULL, 20, 3);
	snprintf(expected, sizeof(expected),
		 "\"markers\":{\"data\":[{\"type\":\"import\",\"why\":\"<module> (a.py:3)\","
		 "\"where\":\"<module> (a.py:3)\",\"amount\":30000000,\"cause\":{\"time\":20.000000,"
		 "\"stack\":2}}],\"name\":[%d],\"startTime\":[20.000000],\"endTime\":[50.000000],"
		 "\"phase\":[1],\"category\":[0],\"length\":1}",
		 profile_count(p, PROFILE_STRING) + 2 + FIREFOX_IMPORT);
	assert_int_equal(firefox_stacks_new(&stacks, p), 0);
	assert_int_equal(firefox_markers_open(&m, p, &stacks, true), 0);
	assert_int_equal(timeline_new(&t, p), 0);
	assert_int_equal(firefox_markers_write(&m, &t.threads[0], EVENT_CPU, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, expected);
}

AROUND_EACH(setup, teardown);
