// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_end.c - what the end of a sample touches: its node, one of the books of its kind, and the total of
 * that kind, and nothing else.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "tests/forge/test.h"

#define NODE 300

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	return hosted_begin();
}

static __u64 counted(void)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < HOSTED_NODES; i++)
		sum += hosted.nodes[i].count;
	return sum;
}

/* The counters of a CPU, all in one sum. */
static __u64 all_stats(void)
{
	const __u64 *at = (const __u64 *)&hosted.stats;
	__u64 sum = 0;

	for (size_t i = 0; i < sizeof(hosted.stats) / sizeof(*at); i++)
		sum += at[i];
	return sum;
}

static __u64 *total_of(enum event_kind kind)
{
	return event_total(&hosted.stats, kind);
}

TEST(in_the_profile)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		hosted_clear();
		sample_end(&hosted.stats, kind, NODE, OUTCOME_TRUNCATED, 70);
		sample_end(&hosted.stats, kind, NODE, OUTCOME_WHOLE, 3);
		assert_int_equal(hosted.nodes[NODE].count, 73);
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_TRUNCATED], 70);
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_WHOLE], 3);
		assert_int_equal(*total_of(kind), 73);
		assert_int_equal(counted(), 73);
		assert_int_equal(all_stats(), 2 * 73);
	}
}

TEST(not_in_the_profile)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		hosted_clear();
		sample_end(&hosted.stats, kind, NODE, OUTCOME_NOT_SELECTED, 11);
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_NOT_SELECTED], 11);
		assert_int_equal(*total_of(kind), 11);
		assert_int_equal(counted(), 0);
		assert_int_equal(all_stats(), 2 * 11);
	}
}

/* The sample that was interrupted may be about to change the total. */
TEST(nested)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		hosted_clear();
		sample_end(&hosted.stats, kind, NODE, OUTCOME_NESTED, 5);
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_NESTED], 5);
		assert_int_equal(*total_of(kind), 0);
		assert_int_equal(counted(), 0);
		assert_int_equal(all_stats(), 5);
	}
}

/* A node that no bank has, and an outcome that there is not. */
TEST(out_of_bounds)
{
	hosted_clear();
	sample_end(&hosted.stats, EVENT_CPU, HOSTED_NODES, OUTCOME_WHOLE, 1);
	assert_int_equal(hosted.stats.outcome[EVENT_CPU][OUTCOME_WHOLE], 1);
	assert_int_equal(hosted.stats.ticks, 1);
	sample_end(&hosted.stats, EVENT_CPU, NODE, OUTCOME_COUNT, 1);
	assert_int_equal(counted(), 0);
	assert_int_equal(all_stats(), 2);
}

AROUND_EACH(setup, hosted_teardown);
