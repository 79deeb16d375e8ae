// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_start_times.c - comments that say when processes began: each once, the earliest of those that had its
 * number, in lines that hold, and of those without room the earliest. recorded/ reads them again.
 */
#include <string.h>

#include "profile/profile.h"
#include "profile/start_times.h"
#include "recorded/process_starts.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define SECOND 1000000000LL
#define BOOT   (1700000000 * SECOND)

static char lines[START_TIMES_LINES][START_TIMES_LINE_SIZE];
static struct recorded_starts read_again;

static struct profile *new_profile(__s64 boot)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1,
					   .boot_unix_ns = boot };
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static void add(struct profile *p, __u32 pid, __u32 tid, __u64 began)
{
	const struct profile_labels labels = { .pid = pid, .tid = tid, .began_boot_ns = began };
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "/f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
}

static size_t write_and_read(const struct profile *p)
{
	const size_t n = start_times_write(p, lines);

	memset(&read_again, 0, sizeof(read_again));
	for (size_t i = 0; i < n; i++)
		assert_true(recorded_starts_comment(&read_again, lines[i]));
	return n;
}

TEST(each_process_once)
{
	_cleanup_profile_ struct profile *p = new_profile(BOOT);

	add(p, 12, 13, 2 * SECOND);
	add(p, 7, 7, 1234567890);
	add(p, 12, 12, 2 * SECOND);
	add(p, 12, 12, SECOND);
	add(p, 0, 9, SECOND); /* its record was lost */
	add(p, 99, 99, 0);
	assert_int_equal(write_and_read(p), 1);
	assert_string_equal(lines[0], "processes began, in ms since 1970: 7 1700000001234, 12 1700000001000");
	assert_int_equal(recorded_starts_get(&read_again, 7), BOOT + 1234000000);
	assert_int_equal(recorded_starts_get(&read_again, 99), 0);
}

TEST(nothing_is_known)
{
	_cleanup_profile_ struct profile *p = new_profile(0), *empty = new_profile(BOOT);

	add(p, 12, 13, SECOND);
	assert_int_equal(start_times_write(p, lines), 0);
	assert_int_equal(start_times_write(empty, lines), 0);
}

TEST(more_than_have_room)
{
	_cleanup_profile_ struct profile *p = new_profile(BOOT);
	const __u32 first = UINT32_MAX - 200;

	for (__u32 i = 0; i < 200; i++)
		add(p, first + i, 1, (1000 - i) * (__u64)SECOND);
	assert_int_equal(write_and_read(p), START_TIMES_LINES);
	assert_in_range(read_again.count, 60, 199);
	for (__u32 i = 0; i < 200; i++)
		assert_int_equal(recorded_starts_get(&read_again, first + i),
				 BOOT + (i < read_again.count ? 1000 - i : 801) * SECOND);
}

TEST(without_memory)
{
	_cleanup_profile_ struct profile *p = new_profile(BOOT);
	size_t n;

	add(p, 12, 13, SECOND);
	allocations_left = 0;
	n = start_times_write(p, lines);
	allocations_left = -1;
	assert_int_equal(n, fail_malloc_works() ? 0 : 1);
}
