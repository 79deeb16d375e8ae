// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_heat.c - in which part of which second a profile's amounts were: ticks one by one, waits spread over
 * all that they lasted, and nothing that is not of the kind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/moments.h"
#include "profile/profile.h"
#include "tests/forge/test.h"
#include "views/heat.h"

#define MS 1000000ULL

static struct profile *new_profile(__u32 events, __s64 start_ms, __s64 ms)
{
	struct profile_info info = {
		.events = events,
		.period_ns = 10000000,
		.start_unix_ns = start_ms * (__s64)MS,
		.duration_ns = ms * (__s64)MS,
		.frequency = 99,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static void add(struct profile *p, enum event_kind kind, __u64 begin_ms, __u64 end_ms, __u64 amount)
{
	const struct profile_labels labels = { .pid = 7 };
	struct moment m = { .begin = begin_ms * MS, .end = end_ms * MS, .amount = amount, .kind = kind };
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, kind, &location, 1, &labels, amount), 0);
	m.sample = profile_last_sample(p);
	assert_int_equal(profile_moment(p, &m), 0);
}

/* The cells, as text: "12:3 40:1" are 3 in cell 12 and 1 in cell 40. */
static const char *cells(const struct profile *p, const char *head)
{
	static char text[4096];
	struct buf out = {};
	const char *at;
	int place = 0;
	size_t n = 0;

	assert_int_equal(heat_encode_until(p, NULL, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	if (strncmp(out.data, head, strlen(head)))
		fail_msg("%.150s does not begin with %s", out.data, head);
	*text = '\0';
	at = strstr(out.data, "\"cells\":[") + strlen("\"cells\":[");
	for (char *end; *at != ']'; place++) {
		const unsigned long long value = strtoull(at, &end, 10);

		if (value)
			n += snprintf(text + n, sizeof(text) - n, "%s%d:%llu", n ? " " : "", place, value);
		at = *end == ',' ? end + 1 : end;
	}
	snprintf(text + n, sizeof(text) - n, " of %d", place);
	buf_free(&out);
	return text;
}

/* The profile begins within a second; cells do at its beginning. */
TEST(ticks)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), 5500, 1200);

	add(p, EVENT_CPU, 0, 0, 1);	 /* 5.500 */
	add(p, EVENT_CPU, 100, 190, 10); /* 5.600, 5.610, ... */
	add(p, EVENT_CPU, 1199, 1199, 2);
	assert_string_equal(cells(p, "{\"schema\":\"pyperf-bpf.heat/1\",\"event\":\"cpu\",\"unit\":\"count\","
				     "\"type\":\"samples\",\"start\":5,\"parts\":50,"),
			    "25:1 30:2 31:2 32:2 33:2 34:2 84:2 of 100");
}

/* A wait is in each cell with what it lasted there; its sum is what it was, whatever is rounded. */
TEST(waits)
{
	_cleanup_profile_ struct profile *p =
		new_profile(EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_MEMORY), 5000, 1000);

	add(p, EVENT_OFFCPU, 10, 60, 50);
	add(p, EVENT_OFFCPU, 500, 560, 10);   /* not a third each */
	add(p, EVENT_OFFCPU, 900, 900, 7);    /* it has no length */
	add(p, EVENT_MEMORY, 950, 950, 4096); /* another kind */
	assert_string_equal(cells(p, "{\"schema\":\"pyperf-bpf.heat/1\",\"event\":\"offcpu\",\"unit\":"
				     "\"nanoseconds\",\"type\":\"offcpu\",\"start\":5,"),
			    "0:10 1:20 2:20 25:3 26:3 27:4 45:7 of 50");
}

/* Of a long profile the oldest are left out, also of what began before. */
TEST(too_long)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_OFFCPU), 1500, 700000);

	add(p, EVENT_OFFCPU, 5, 6, 9);
	add(p, EVENT_OFFCPU, 100480, 100540, 60); /* 101.980 to 102.040 */
	add(p, EVENT_OFFCPU, 699990, 700010, 20); /* ends behind it */
	assert_string_equal(cells(p, "{\"schema\":\"pyperf-bpf.heat/1\",\"event\":\"offcpu\",\"unit\":"
				     "\"nanoseconds\",\"type\":\"offcpu\",\"start\":102,"),
			    "0:20 1:20 29974:10 29975:10 of 30000");
}

TEST(is_stopped)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), 1000, 1000);
	_cleanup_buf_ struct buf out = {};
	const bool stop = true;

	add(p, EVENT_CPU, 0, 0, 1);
	assert_int_equal(buf_add_string(&out, "before"), 0);
	assert_int_equal(heat_encode_until(p, &stop, &out), -ECANCELED);
	assert_int_equal(out.size, strlen("before"));
}
