// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_routes.c - routes of spans: by their ids and process, through the spans within which they began, how
 * many are kept, and who makes room.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "names/routes.h"
#include "tests/forge/test.h"

#define KEEP 1000

static struct routes *routes;

static int setup(void **state)
{
	(void)state;
	return routes_new(&routes, KEEP);
}

static int teardown(void **state)
{
	(void)state;
	routes_free(TAKE_PTR(routes));
	return 0;
}

static struct route_key key(__u64 span)
{
	return (struct route_key){ .ids = { 1, 2, span }, .pid = 100 };
}

static int set_of(__u64 user, __u64 span, const char *route, __u64 parent, __u64 now)
{
	const struct route_key k = key(span);

	return routes_set(routes, &k, &(struct route_met){ user, route, parent, now });
}

static int set(__u64 span, const char *route, __u64 parent, __u64 now)
{
	return set_of(1000, span, route, parent, now);
}

static const char *find(__u64 span)
{
	const struct route_key k = key(span);

	return routes_find(routes, &k);
}

TEST(by_ids_and_process)
{
	struct route_key other = key(5);

	assert_int_equal(set(5, "/items", 0, 1), 0);
	assert_string_equal(find(5), "/items");
	assert_null(find(6));
	other.pid++;
	assert_null(routes_find(routes, &other));
	other = key(5);
	other.ids.high++;
	assert_null(routes_find(routes, &other));
}

TEST(of_parents)
{
	assert_int_equal(set(7, NULL, 6, 1), 0);
	assert_null(find(7)); /* nobody knows 6 yet */
	assert_int_equal(set(6, NULL, 5, 1), 0);
	assert_int_equal(set(5, "/items", 0, 1), 0);
	assert_string_equal(find(7), "/items");
	assert_int_equal(set(6, "/own", 5, 1), 0);
	assert_string_equal(find(7), "/own");
	assert_string_equal(find(5), "/items");
}

/* Spans that say of each other that they are within the other. */
TEST(in_a_circle)
{
	assert_int_equal(set(1, NULL, 2, 1), 0);
	assert_int_equal(set(2, NULL, 1, 1), 0);
	assert_int_equal(set(3, NULL, 3, 1), 0);
	assert_null(find(1));
	assert_null(find(3));
}

TEST(a_route_stays)
{
	const char *before;

	set(1, "/a", 0, 1);
	before = find(1);
	set(1, NULL, 9, 2); /* a later look saw less */
	assert_ptr_equal(find(1), before);
	set(1, "/a", 9, 2);
	assert_ptr_equal(find(1), before);
	set(2, "/a", 0, 3);
	assert_ptr_equal(find(2), before);
	set(1, "/b", 0, 4);
	assert_string_equal(find(1), "/b");
	assert_ptr_equal(find(2), before);
}

TEST(what_is_old_goes)
{
	set(1, "/a", 0, 100);
	set(2, "/b", 0, 200);
	routes_forget(routes, 100 + KEEP);
	assert_int_equal(routes_spans(routes), 2);
	routes_forget(routes, 101 + KEEP);
	assert_int_equal(routes_spans(routes), 1);
	assert_null(find(1));
	assert_string_equal(find(2), "/b");
}

/* One that is looked at for long keeps nobody else. */
TEST(what_is_old_goes_before_what_is_seen_again)
{
	set(1, "/a", 0, 100);
	set(2, "/b", 0, 200);
	set(1, NULL, 0, 300);
	routes_forget(routes, 201 + KEEP);
	assert_null(find(2));
	assert_string_equal(find(1), "/a");
	routes_forget(routes, 301 + KEEP);
	assert_int_equal(routes_spans(routes), 0);
}

/* With a route of its own each. */
static void set_many(__u64 user, __u64 first, __u64 count)
{
	char route[32];

	for (__u64 i = first; i < first + count; i++) {
		snprintf(route, sizeof(route), "/%llu", i);
		assert_int_equal(set_of(user, i, route, 0, 1), 0);
	}
}

TEST(the_oldest_make_room)
{
	set_many(1000, 1, ROUTES_SPANS_MAX + 3);
	assert_int_equal(routes_spans(routes), ROUTES_SPANS_MAX);
	assert_int_equal(routes_counts(routes).forgotten, 3);
	assert_null(find(3));
	assert_string_equal(find(4), "/4");
}

/* However many there were, there is room. */
TEST(texts_go_with_their_spans)
{
	set_many(1000, 1, 2 * ROUTES_SPANS_MAX);
	assert_int_equal(routes_texts(routes), ROUTES_SPANS_MAX);
	routes_forget(routes, 2 + KEEP);
	assert_int_equal(routes_texts(routes), 0);
	set_of(1, 1, "/a", 0, 1);
	set_of(1, 2, "/a", 0, 2);
	set_of(2, 3, "/a", 0, 3);
	assert_int_equal(routes_texts(routes), 2);
	set_of(1, 2, "/b", 0, 2);
	routes_forget(routes, 2 + KEEP);
	assert_int_equal(routes_texts(routes), 2);
	assert_string_equal(find(2), "/b");
	assert_string_equal(find(3), "/a");
}

TEST(who_has_most_makes_room)
{
	set_many(666, 1000, ROUTES_SPANS_MAX + 5);
	set_many(1, 1, 100);
	assert_string_equal(find(1), "/1");
	set_many(666, 1000000, 2 * ROUTES_SPANS_MAX);
	assert_int_equal(routes_spans(routes), ROUTES_SPANS_MAX);
	for (__u64 i = 1; i <= 100; i++)
		assert_non_null(find(i));
	set_many(667, 2000000, 2 * ROUTES_SPANS_MAX); /* half is theirs now */
	assert_string_equal(find(1000000 + 2 * ROUTES_SPANS_MAX - 1), "/1131071");
	assert_string_equal(find(1), "/1");
}

/* As many users as there is room for, and more: each has a span until others have come. */
TEST(a_span_each)
{
	for (__u64 i = 1; i <= ROUTES_SPANS_MAX + 100; i++) {
		assert_int_equal(set_of(i, i, "/a", 0, 1), 0);
		assert_string_equal(find(i), "/a");
		if (i == 2000)
			i = ROUTES_SPANS_MAX; /* to look for who has most takes a while */
	}
	set_many(666, 1000000, ROUTES_SPANS_MAX);
	assert_int_equal(routes_spans(routes), ROUTES_SPANS_MAX);
	assert_string_equal(find(1), "/a");
}

TEST(counts)
{
	routes_count(routes)->gone = 7;
	assert_int_equal(routes_counts(routes).gone, 7);
}

AROUND_EACH(setup, teardown);
