// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile.c - equal content is one record, strings are made safe, nothing impossible gets in, and it
 * stays small.
 */

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/forge/test.h"

static const struct profile_info info = {
	.events = EVENT_BIT(EVENT_CPU),
	.period_ns = 10000000,
	.start_unix_ns = 5,
	.duration_ns = 7,
	.frequency = 100
};

static int setup(void **state)
{
	struct profile *p;
	int err = profile_new(&info, &p);

	if (!err)
		*state = p;
	return err;
}

static int teardown(void **state)
{
	profile_free(*state);
	return 0;
}

static __u32 location(struct profile *p, const char *name, const char *file, int line)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, file, 1, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, 0, &id), 0);
	return id;
}

TEST(info_is_kept_and_checked)
{
	struct profile_info bad = info;
	struct profile *p = NULL;

	assert_memory_equal(profile_get_info(*state), &info, sizeof(info));
	bad.period_ns = 0;
	assert_int_equal(profile_new(&bad, &p), -EINVAL);
	assert_null(p);
	profile_free(NULL);
}

TEST(equal_content_is_one_record)
{
	struct profile *p = *state;
	__u32 a, b, m, l1, l2;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "x.py", 3, &a), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "x.py", 3, &b), 0);
	assert_int_equal(a, 1);
	assert_int_equal(a, b);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "x.py", 4, &b), 0);
	assert_int_equal(b, 2);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "y.py", 3, &b), 0);
	assert_int_equal(b, 3);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "x.py", "f", 3, &b), 0);
	assert_int_equal(b, 4);
	assert_int_equal(profile_mapping(p, "python3.13", "abcd", &m), 0);
	assert_int_equal(profile_mapping(p, "python3.13", "abce", &b), 0);
	assert_int_not_equal(m, b);
	assert_int_equal(profile_mapping(p, "python3.13", "abcd", &b), 0);
	assert_int_equal(m, b);
	assert_int_equal(profile_location(p, a, 9, 0, m, &l1), 0);
	assert_int_equal(profile_location(p, a, 9, 0, m, &l2), 0);
	assert_int_equal(l1, l2);
	assert_int_equal(profile_location(p, a, 9, 0, 0, &l2), 0);
	assert_int_not_equal(l1, l2);
	assert_int_equal(profile_location(p, a, 9, 4, 0, &b), 0);
	assert_true(b != l1 && b != l2);
	assert_int_equal(profile_count(p, PROFILE_FUNCTION), 4);
	assert_int_equal(profile_count(p, PROFILE_MAPPING), 2);
	assert_int_equal(profile_count(p, PROFILE_LOCATION), 3);
	assert_int_equal(profile_count(p, PROFILE_STRING), 6);
}

TEST(records_read_back)
{
	struct profile *p = *state;
	const struct profile_function *f;
	const struct profile_location *l;
	__u32 function, mapping, id;

	assert_int_equal(profile_mapping(p, "libpython", NULL, &mapping), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "[truncated]", "", 0, &function), 0);
	assert_int_equal(profile_location(p, function, 0, 0, mapping, &id), 0);
	assert_int_equal(profile_get_location(p, id)->column, 0);
	assert_int_equal(profile_location(p, function, 0, 31, mapping, &id), 0);
	l = profile_get_location(p, id);
	assert_int_equal(l->function, function);
	assert_int_equal(l->line, 0);
	assert_int_equal(l->column, 31);
	assert_int_equal(l->mapping, mapping);
	f = profile_get_function(p, l->function);
	assert_string_equal(profile_get_string(p, f->name), "[truncated]");
	assert_int_equal(f->file, 0);
	assert_string_equal(profile_get_string(p, f->file), "");
	assert_string_equal(profile_get_string(p, profile_get_mapping(p, mapping)->file), "libpython");
	assert_int_equal(profile_get_mapping(p, mapping)->build_id, 0);
}

TEST(strings_are_valid_and_bounded)
{
	static char longest[3 * PROFILE_STRING_MAX];
	struct profile *p = *state;
	const char *s;
	__u32 id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "na\xffme", "\xed\xa0\x80", 1, &id), 0);
	assert_string_equal(profile_get_string(p, profile_get_function(p, id)->name), "na\xef\xbf\xbdme");
	assert_string_equal(profile_get_string(p, profile_get_function(p, id)->file),
			    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	memset(longest, 0xff, sizeof(longest) - 1);
	assert_int_equal(profile_function(p, FRAME_PYTHON, longest, "", 1, &id), 0);
	s = profile_get_string(p, profile_get_function(p, id)->name);
	assert_int_equal(strlen(s), PROFILE_STRING_MAX / 3 * 3);
}

TEST(equal_stacks_with_equal_labels_merge)
{
	struct profile *p = *state;
	__u32 a = location(p, "a", "x.py", 1), b = location(p, "b", "x.py", 2);
	const __u32 ab[] = { a, b }, ba[] = { b, a };
	struct profile_labels one = { .pid = 12, .comm = "py" };
	struct profile_labels same = { .pid = 12, .comm = "py", .thread = "" };
	struct profile_labels other = { .pid = 12, .tid = 13, .comm = "py", .thread = "" };
	struct profile_stack stack;

	assert_int_equal(profile_sample(p, EVENT_CPU, ab, 2, &one, 3), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, ab, 2, &same, 4), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, ba, 2, &one, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, ab, 1, &one, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, ab, 2, &other, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, ab, 2, &one, 0), 0);
	assert_int_equal(profile_count(p, PROFILE_SAMPLE), 4);
	assert_int_equal(profile_count(p, PROFILE_OWNER), 2);
	assert_int_equal(profile_total(p), 10);
	stack = profile_get_sample(p, 1);
	assert_int_equal(stack.count, 7);
	assert_int_equal(stack.n, 2);
	assert_int_equal(stack.locations[0], a);
	assert_int_equal(stack.locations[1], b);
	assert_int_equal(profile_get_owner(p, stack.owner)->pid, 12);
	assert_string_equal(profile_get_string(p, profile_get_owner(p, stack.owner)->comm), "py");
}

TEST(impossible_records_are_refused)
{
	static __u32 many[PROFILE_FRAMES_MAX + 1];
	struct profile *p = *state;
	struct profile_labels labels = { .pid = 1 };
	__u32 known = location(p, "f", "x.py", 1), id = 77;
	const __u32 zero[] = { known, 0 }, unknown[] = { known, known + 1 };

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "x.py", -1, &id), -EINVAL);
	assert_int_equal(profile_location(p, 0, 1, 0, 0, &id), -EINVAL);
	assert_int_equal(profile_location(p, 2, 1, 0, 0, &id), -EINVAL);
	assert_int_equal(profile_location(p, 1, -1, 0, 0, &id), -EINVAL);
	assert_int_equal(profile_location(p, 1, 1, -1, 0, &id), -EINVAL);
	assert_int_equal(profile_location(p, 1, 1, 0, 1, &id), -EINVAL);
	assert_int_equal(id, 77);
	assert_int_equal(profile_sample(p, EVENT_CPU, zero, 2, &labels, 1), -EINVAL);
	assert_int_equal(profile_sample(p, EVENT_CPU, unknown, 2, &labels, 1), -EINVAL);
	assert_int_equal(profile_sample(p, EVENT_CPU, zero, 0, &labels, 1), -EINVAL);
	for (size_t i = 0; i < PROFILE_FRAMES_MAX + 1; i++)
		many[i] = known;
	assert_int_equal(profile_sample(p, EVENT_CPU, many, PROFILE_FRAMES_MAX + 1, &labels, 1), -EINVAL);
	assert_int_equal(profile_total(p), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, many, PROFILE_FRAMES_MAX, &labels, 1), 0);
	assert_int_equal(profile_get_sample(p, 1).n, PROFILE_FRAMES_MAX);
}

TEST(counts_saturate)
{
	struct profile *p = *state;
	struct profile_labels labels = { .pid = 1 };
	__u32 l = location(p, "f", "x.py", 1);

	assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, ~0ULL), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, 2), 0);
	assert_true(profile_get_sample(p, 1).count == ~0ULL);
	assert_true(profile_total(p) == ~0ULL);
}

/* A busy machine's interval: 20,000 distinct stacks of 30 frames out of 5,000 places. */
TEST(many_records_stay_distinct_and_small)
{
	struct profile *p = *state;
	struct profile_labels labels = { .pid = 1 };
	__u32 locations[5000], stack[30], id;
	struct mallinfo2 before = mallinfo2(), after;
	size_t taken;
	char name[32];

	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		locations[i] = location(p, name, "/srv/app/module.py", i);
		assert_int_equal(locations[i], i + 1);
	}
	for (unsigned int i = 0; i < 20000; i++) {
		for (unsigned int j = 0; j < 30; j++)
			stack[j] = locations[(i * 31 + j * (1 + i / 5000)) % 5000];
		assert_int_equal(profile_sample(p, EVENT_CPU, stack, 30, &labels, i + 1), 0);
	}
	assert_int_equal(profile_count(p, PROFILE_SAMPLE), 20000);
	for (id = 1; id <= 20000; id++)
		assert_int_equal(profile_get_sample(p, id).count, id);
	after = mallinfo2();
	if (after.uordblks <= before.uordblks) /* the sanitizers' allocators do not keep these books */
		return;
	taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
	assert_in_range(taken, 1, 12 << 20);
	/* Bounds of memory are checked by profile_bytes(). What malloc() keeps for itself is not in it. */
	assert_in_range(profile_bytes(p), taken - (256 << 10), taken + (256 << 10));
}

AROUND_EACH(setup, teardown);
