// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_firefox_stacks.c - stacks of a profile as a tree: each is found again by its number, also when there
 * are very many.
 */

#include "base/buf.h"
#include "formats/firefox_stacks.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

#define LOCATIONS 50
#define SAMPLES	  20000

TEST(each_stack_is_there)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	static const struct profile_labels labels = { .pid = 1 };
	_cleanup_(firefox_stacks_free) struct firefox_stacks s = {};
	_cleanup_profile_ struct profile *p = NULL;
	__u32 function, id;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "a.py", 1, &function), 0);
	for (int line = 1; line <= LOCATIONS; line++)
		assert_int_equal(profile_location(p, function, line, 0, 0, &id), 0);
	for (__u32 i = 0; i < SAMPLES; i++) {
		const __u32 stack[] = { 1 + i % LOCATIONS, 1 + i / 7 % LOCATIONS, 1 + i / 400 };

		assert_int_equal(profile_sample(p, EVENT_CPU, stack, 3, &labels, 1), 0);
	}
	assert_int_equal(firefox_stacks_new(&s, p), 0);
	for (id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack stack = profile_get_sample(p, id);
		__u32 at = s.of_sample[id - 1] + 1;

		for (__u32 i = 0; i < stack.n; i++) {
			assert_true(at && at <= s.count);
			assert_int_equal(s.list[at - 1].frame, stack.locations[i] - 1);
			assert_true(s.list[at - 1].prefix < at);
			at = s.list[at - 1].prefix;
		}
		assert_int_equal(at, 0);
	}
	assert_true(s.count < SAMPLES * 2);
}
