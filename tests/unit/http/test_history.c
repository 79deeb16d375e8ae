// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_history.c - the last intervals: the oldest go, by number and by bytes, and who reads one keeps it.
 */

#include "base/cleanup.h"
#include "http/history.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

static struct history history;

/* Ten seconds long, from 1000 + 10 * n. */
static void add(unsigned long n)
{
	struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 1,
		.start_unix_ns = (1000 + 10 * n) * 1000000000LL,
		.duration_ns = 10000000000,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(history_add(&history, p, n), 0);
}

static int empty(void **state)
{
	(void)state;
	history_clear(&history);
	assert_int_equal(history.count, 0);
	assert_int_equal(history.bytes, 0);
	return 0;
}

TEST(the_oldest_go)
{
	assert_null(history_newest(&history));
	for (unsigned long n = 1; n <= HISTORY_MAX + 5; n++) {
		add(n);
		assert_int_equal(history_newest(&history)->serial, n);
	}
	assert_int_equal(history.count, HISTORY_MAX);
	assert_int_equal(history.rows[0]->serial, 6);
}

TEST(as_many_bytes_as_may_be)
{
	for (unsigned long n = 1; n <= 4; n++)
		add(n);
	assert_in_range(history.bytes, 4, HISTORY_BYTES_MAX);
	history.rows[0]->bytes += HISTORY_BYTES_MAX;
	history.bytes += HISTORY_BYTES_MAX;
	add(5);
	assert_int_equal(history.count, 4);
	assert_int_equal(history.rows[0]->serial, 2);
	history.rows[3]->bytes += HISTORY_BYTES_MAX; /* the newest stays however large, until the next one */
	history.bytes += HISTORY_BYTES_MAX;
	add(6);
	assert_int_equal(history.count, 1);
	assert_int_equal(history_newest(&history)->serial, 6);
}

TEST(one_that_is_read_stays)
{
	struct interval *i;

	add(1);
	i = history_newest(&history);
	interval_get(i);
	history_clear(&history);
	assert_int_equal(profile_get_info(i->profile)->start_unix_ns, 1010000000000);
	interval_put(i);
}

/* By their middles: 1015, 1025, 1035. */
TEST(found_by_time)
{
	static const struct {
		double from, to;
		size_t first, count;
	} rows[] = {
		{ 0, 0, 0, 3 },	      { 1010, 1040, 0, 3 }, { 1010.001, 1019.999, 0, 1 }, { 1016, 0, 1, 2 },
		{ 1020, 1030, 1, 1 }, { 0, 1015, 0, 0 },    { 1036, 0, 3, 0 },	    { 1026, 1034, 2, 0 },
	};

	for (unsigned long n = 1; n <= 3; n++)
		add(n);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t first = 77;

		assert_int_equal(history_find(&history, rows[i].from, rows[i].to, &first), rows[i].count);
		assert_int_equal(first, rows[i].first);
	}
}

AROUND_EACH(empty, empty);
