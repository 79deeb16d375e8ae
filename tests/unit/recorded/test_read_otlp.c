// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_read_otlp.c - what a file of OTLP says of itself stands in each of its profiles, and counts once.
 */
#include "formats/otlp.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "tests/forge/test.h"

static struct profile *forge(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
		.period_ns = 10000000,
		.ticks_came = 90,
		.ticks_wanted = 100,
		.unanalysed = 7,
		.forbidden = 2,
		.quotas = { { .cgroup = "/a", .quota_us = 1, .period_us = 2, .periods = 5, .held_us = 12 } },
		.quota_count = 1,
	};
	struct profile_labels labels = { .pid = 1 };
	__u32 function, place;
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "x.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &place), 0);
	for (; labels.pid < 4; labels.pid++) {
		assert_int_equal(profile_sample(p, EVENT_CPU, &place, 1, &labels, 4), 0);
		assert_int_equal(profile_sample(p, EVENT_OFFCPU, &place, 1, &labels, 5), 0);
	}
	return p;
}

TEST(what_it_says_counts_once)
{
	_cleanup_profile_ struct profile *p = forge();
	_cleanup_recorded_ struct recorded r = { 0 };
	_cleanup_buf_ struct buf file = { 0 };
	const char *why;

	assert_int_equal(otlp_encode(p, &file), 0);
	for (int files = 1; files < 3; files++) {
		assert_int_equal(read_pprof(&r, file.data, file.size, &why), 0);
		assert_int_equal(r.ticks_came, 90 * files);
		assert_int_equal(r.ticks_wanted, 100 * files);
		assert_int_equal(r.unanalysed, 7 * files);
		assert_int_equal(r.forbidden, 2 * files);
		assert_int_equal(r.quotas.count, 1);
		assert_int_equal(r.quotas.rows[0].held_us, 12 * files);
		assert_int_equal(r.comment_count, 4);
	}
}
