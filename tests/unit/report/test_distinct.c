// SPDX-License-Identifier: GPL-2.0-only
/* Places of deep stacks, each once: in their order, with their first and last frame; who has no list. */
#include <stdlib.h>

#include "report/distinct.h"
#include "recorded/recorded.h"
#include "tests/forge/test.h"

#define FRAMES 600

static void add_stack(struct recorded *r, const __u32 *places, size_t n)
{
	const struct recorded_type type = { 0 };
	const __s64 one = 1;
	size_t at;

	assert_int_equal(recorded_type(r, &type, &at), 0);
	assert_int_equal(recorded_add(r, places, n, NULL, 0, &one), 0);
}

static void add_places(struct recorded *r, size_t n)
{
	struct recorded_function function = { 0 };
	struct recorded_place place = { 0 };
	__u32 id;

	assert_int_equal(recorded_function(r, &function, &place.function), 0);
	for (size_t i = 0; i < n; i++) {
		place.line = i;
		assert_int_equal(recorded_place(r, &place, &id), 0);
	}
}

TEST(each_place_is_there_once)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	struct distinct d = { 0 };
	const struct distinct_place *found;
	__u32 deep[FRAMES];
	size_t n;

	add_places(&r, FRAMES);
	for (size_t i = 0; i < FRAMES; i++)
		deep[i] = 1 + i % 3;
	deep[300] = 7;
	add_stack(&r, deep, FRAMES);
	assert_int_equal(distinct_make(&r, &d), 0);
	found = distinct_get(&d, 1, &n);
	assert_int_equal(n, 4);
	for (__u32 i = 0; i < 3; i++) {
		assert_int_equal(found[i].place, i + 1);
		assert_int_equal(found[i].first, i);
		assert_int_equal(found[i].last, FRAMES - 3 + i);
	}
	assert_int_equal(found[3].place, 7);
	assert_int_equal(found[3].first, 300);
	assert_int_equal(found[3].last, 300);
	distinct_free(&d);
}

TEST(what_is_short_or_has_few_places_twice_has_no_list)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	struct distinct d = { 0 };
	__u32 places[FRAMES];
	size_t n;

	add_places(&r, FRAMES);
	for (__u32 i = 0; i < FRAMES; i++)
		places[i] = i + 1;
	add_stack(&r, places, FRAMES);
	for (__u32 i = 0; i < FRAMES; i++)
		places[i] = 1;
	add_stack(&r, places, 255);
	add_stack(&r, places, 256);
	add_stack(&r, places, 0);
	assert_int_equal(distinct_make(&r, &d), 0);
	assert_null(distinct_get(&d, 1, &n));
	assert_null(distinct_get(&d, 2, &n));
	assert_non_null(distinct_get(&d, 3, &n));
	assert_int_equal(n, 1);
	assert_null(distinct_get(&d, 4, &n));
	distinct_free(&d);
}

TEST(nothing_is_made_where_nothing_is_deep)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	struct distinct d = { 0 };
	const __u32 place = 1;
	size_t n;

	add_places(&r, 1);
	add_stack(&r, &place, 1);
	assert_int_equal(distinct_make(&r, &d), 0);
	assert_null(d.of_stack);
	assert_null(distinct_get(&d, 1, &n));
	distinct_free(&d);
}
