// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recorded.c - stacks that are equal are one, sums do not overflow, and texts are what can be shown.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorded/recorded.h"
#include "tests/forge/recording.h"

TEST(texts)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	char *longest = calloc(1, 10000);
	__u32 id;

	assert_non_null(longest);
	assert_int_equal(recording_string(&r, ""), 0);
	assert_string_equal(recorded_get_string(&r, 0), "");
	assert_int_equal(recording_string(&r, "a"), recording_string(&r, "a"));
	assert_string_equal(recorded_get_string(&r, recording_string(&r, "\xff!")), "\xef\xbf\xbd!");
	assert_int_equal(recorded_string(&r, "a\0b", 3, &id), 0);
	assert_int_equal(id, recording_string(&r, "a"));
	assert_int_equal(recorded_string(&r, "\0b", 2, &id), 0);
	assert_int_equal(id, 0);
	memset(longest, 'x', 9999);
	assert_int_equal(strlen(recorded_get_string(&r, recording_string(&r, longest))), RECORDED_STRING_MAX);
	free(longest);
}

static __u32 place(struct recorded *r, const char *name)
{
	const struct recorded_function f = { .name = recording_string(r, name) };
	struct recorded_place p = { 0 };
	__u32 id;

	assert_int_equal(recorded_function(r, &f, &p.function), 0);
	assert_int_equal(recorded_place(r, &p, &id), 0);
	return id;
}

TEST(equal_stacks_are_one)
{
	_cleanup_recorded_ struct recorded r = { .type_count = 2 };
	const __u32 stack[] = { place(&r, "leaf"), place(&r, "root") };
	struct recorded_label labels[2] = { { .key = 2, .text = 1 },
					    { .key = 1, .is_number = 1, .number = 7 } };
	struct recorded_label turned[2] = { labels[1], labels[0] };
	struct recorded_stack s;

	assert_int_equal(recorded_add(&r, stack, 2, labels, 2, (__s64[]){ 1, INT64_MAX }), 0);
	assert_int_equal(recorded_add(&r, stack, 2, turned, 2, (__s64[]){ 2, 5 }), 0);
	assert_int_equal(recorded_add(&r, stack, 2, turned, 1, (__s64[]){ -4, INT64_MIN }), 0);
	assert_int_equal(recorded_add(&r, stack, 1, turned, 1, (__s64[]){ 8, 0 }), 0);
	assert_int_equal(recorded_stacks(&r), 3);
	s = recorded_get_stack(&r, 1);
	assert_int_equal(s.n, 2);
	assert_memory_equal(s.places, stack, sizeof(stack));
	assert_int_equal(s.values[0], 3);
	assert_true(s.values[1] == INT64_MAX);
	assert_int_equal(s.label_count, 2);
	assert_int_equal(recorded_find_label(&s, 1)->number, 7);
	assert_null(recorded_find_label(&s, 3));
	assert_null(recorded_find_label(&s, 0));
	s = recorded_get_stack(&r, 2);
	assert_true(s.values[1] == INT64_MIN);
}

TEST(sums_end_at_the_limits)
{
	assert_true(recorded_sum(INT64_MAX, 1) == INT64_MAX);
	assert_true(recorded_sum(INT64_MIN, -1) == INT64_MIN);
	assert_true(recorded_sum(INT64_MIN, INT64_MAX) == -1);
}

TEST(too_long_stacks)
{
	_cleanup_recorded_ struct recorded r = { .type_count = 1 };

	assert_int_equal(recorded_add(&r, NULL, RECORDED_STACK_MAX + 1, NULL, 0, (__s64[]){ 1 }), -E2BIG);
	r.frames = RECORDED_FRAMES_MAX;
	assert_int_equal(recorded_add(&r, (__u32[]){ 1 }, 1, NULL, 0, (__s64[]){ 1 }), -E2BIG);
}

static void say(struct recorded *r, const char *text)
{
	recorded_comment(r, recording_string(r, text));
}

TEST(what_comments_say)
{
	_cleanup_recorded_ struct recorded r = { 0 };

	/* Of two files. */
	say(&r, "90 of 100 ticks came: times are made up for that");
	say(&r, "90 of 100 ticks came: times are made up for that");
	say(&r, "3 processes could not be looked at (3 of uid 7): what they did is "
		"not there");
	say(&r, "12 ticks of programs that had only begun and were not analysed");
	say(&r, "8 ticks of processes that may not be read are not in this profile");
	say(&r, "9 of 10 things");
	recorded_comment(&r, 0);
	assert_int_equal(r.comment_count, 5);
	assert_int_equal(r.unanalysed, 12);
	assert_int_equal(r.forbidden, 8);
	assert_int_equal(r.ticks_came, 180);
	assert_int_equal(r.ticks_wanted, 200);
	assert_int_equal(r.unlooked, 3);
}

/* A type that comes later is 0 of the stacks that are there. */
TEST(types_are_added)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	const __u32 stack[] = { place(&r, "leaf"), place(&r, "root") };
	size_t index = 7;

	assert_int_equal(recorded_type(&r, &(struct recorded_type){ 1, 1 }, &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(recorded_add(&r, stack, 2, NULL, 0, (__s64[]){ 5 }), 0);
	assert_int_equal(recorded_add(&r, stack, 1, NULL, 0, (__s64[]){ 6 }), 0);
	assert_int_equal(recorded_type(&r, &(struct recorded_type){ 1, 2 }, &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(recorded_type(&r, &(struct recorded_type){ 1, 1 }, &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(recorded_add(&r, stack, 1, NULL, 0, (__s64[]){ 1, 2 }), 0);
	assert_memory_equal(recorded_get_stack(&r, 1).values, ((__s64[]){ 5, 0 }), 2 * sizeof(__s64));
	assert_memory_equal(recorded_get_stack(&r, 2).values, ((__s64[]){ 7, 2 }), 2 * sizeof(__s64));
	for (__u32 i = 2; i < RECORDED_TYPES_MAX; i++)
		assert_int_equal(recorded_type(&r, &(struct recorded_type){ 9, i }, &index), 0);
	assert_int_equal(recorded_type(&r, &(struct recorded_type){ 8, 1 }, &index), -E2BIG);
	assert_int_equal(index, RECORDED_TYPES_MAX - 1);
	assert_int_equal(recorded_get_stack(&r, 2).values[1], 2);
}
