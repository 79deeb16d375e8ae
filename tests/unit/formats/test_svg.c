// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_svg.c - the picture of a flame graph: a frame is as wide as its share and says it, callees stand below
 * their callers, each kind of event has a graph, what is too narrow is counted, and no name is markup.
 */
#include <stdio.h>
#include <string.h>

#include "formats/svg.h"
#include "tests/forge/test.h"

static struct buf out;
static struct profile *p;
static __u32 location[3];

static void begin(__u32 events, const char *name)
{
	const struct profile_info info = { .events = events, .period_ns = 10000000 };
	__u32 function;

	assert_int_equal(profile_new(&info, &p), 0);
	for (int i = 0; i < 3; i++) {
		char own[64];

		snprintf(own, sizeof(own), "%s%d", name, i);
		assert_int_equal(profile_function(p, FRAME_PYTHON, own, "/srv/app.py", 7 + i, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &location[i]), 0);
	}
}

/* Frames from the leaf. */
static void add(enum event_kind kind, const __u32 *frames, __u32 n, __u64 count)
{
	const struct profile_labels labels = { .pid = 12, .comm = "app" };

	assert_int_equal(profile_sample(p, kind, frames, n, &labels, count), 0);
}

static const char *encode(void)
{
	buf_clear(&out);
	assert_int_equal(svg_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	profile_free(p);
	p = NULL;
	return out.data;
}

TEST(widths_are_shares)
{
	const char *a;

	begin(EVENT_BIT(EVENT_CPU), "f");
	add(EVENT_CPU, (const __u32[]){ location[1], location[0] }, 2, 30);
	add(EVENT_CPU, (const __u32[]){ location[2], location[0] }, 2, 60);
	add(EVENT_CPU, (const __u32[]){ location[0] }, 1, 10);
	a = encode();
	assert_non_null(strstr(a, ">CPU: 100 samples</text>"));
	assert_non_null(strstr(a, "<title>app (pid 12): 100 samples, 100.00 %</title>"
				  "<rect x=\"10.00\" y=\"30\" width=\"1180.00\""));
	assert_non_null(strstr(a, "<title>f0 (/srv/app.py:7): 100 samples, 100.00 %</title>"
				  "<rect x=\"10.00\" y=\"48\" width=\"1180.00\""));
	assert_non_null(strstr(a, "<title>f1 (/srv/app.py:8): 30 samples, 30.00 %</title>"
				  "<rect x=\"10.00\" y=\"66\" width=\"354.00\""));
	assert_non_null(strstr(a, "<title>f2 (/srv/app.py:9): 60 samples, 60.00 %</title>"
				  "<rect x=\"364.00\" y=\"66\" width=\"708.00\""));
}

TEST(what_is_narrow_is_counted)
{
	const char *a;

	begin(EVENT_BIT(EVENT_CPU), "f");
	add(EVENT_CPU, (const __u32[]){ location[0] }, 1, 1000000);
	add(EVENT_CPU, (const __u32[]){ location[1] }, 1, 1);
	a = encode();
	assert_non_null(strstr(a, ">CPU: 1000001 samples (1 frames are too narrow to be drawn)</text>"));
	assert_null(strstr(a, ">f1 ("));
}

/* Its height is that of all its graphs. */
TEST(each_kind_has_a_graph)
{
	const char *a;

	begin(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), "f");
	add(EVENT_CPU, location, 1, 5);
	add(EVENT_OFFCPU, location + 1, 1, 1250000000);
	a = encode();
	assert_non_null(strstr(a, "viewBox=\"0 0 1200 142\""));
	assert_non_null(strstr(a, ">f0 (/srv/app.py:7): 5 samples, 100.00 %<"));
	assert_non_null(strstr(a, ">f1 (/srv/app.py:8): 1.25 s, 100.00 %<"));
	assert_true(strstr(a, ">f1 (") > strstr(a, ">f0 ("));
}

TEST(no_name_is_markup)
{
	const char *a;

	begin(EVENT_BIT(EVENT_CPU), "</title><script>&\n");
	add(EVENT_CPU, location, 1, 5);
	a = encode();
	assert_null(strstr(a, "<script"));
	assert_non_null(strstr(a, "&lt;/title&gt;&lt;script&gt;&amp;"));
}

TEST(nothing)
{
	const char *a;

	begin(EVENT_BIT(EVENT_CPU), "f");
	a = encode();
	assert_non_null(strstr(a, ">CPU: 0 samples</text>"));
	assert_null(strstr(a, "<g>"));
}

static int teardown(void **state)
{
	(void)state;
	buf_free(&out);
	return 0;
}

AROUND_ALL(NULL, teardown);
