// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_weight.c - how much time a sample stands for: all of them together are the time that there was, when
 * ticks are missing too; and what may be chance changes nothing.
 */

#include "tree/weight.h"
#include "tests/forge/test.h"

#define BASE { .came = 1000000, .expected = 1200000 } /* what was before does not matter */

struct expected {
	__u64 came, expected;
	__s64 period_ns;
	__u64 wanted; /* 0 = as many as came */
};

static void check(const struct expected *e)
{
	const struct tick_counts from = BASE;
	const struct tick_counts to = { .came = from.came + e->came,
					.expected = from.expected + e->expected };
	struct profile_info info = { .ticks_came = 99, .ticks_wanted = 99 };

	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.period_ns, e->period_ns);
	assert_int_equal(info.ticks_wanted, e->wanted);
	assert_int_equal(info.ticks_came, e->wanted ? e->came : 0);
}

TEST(as_many_as_were_asked_for)
{
	static const struct expected rows[] = {
		{ 0, 0, 10000000, 0 },	{ 1000, 0, 10000000, 0 }, /* cycles: unknown */
		{ 1000, 1000, 10000000, 0 }, { 1100, 1000, 10000000, 0 },
		{ 900, 1000, 10000000, 0 }, /* the measure is no better than that */
		{ 1, 499, 10000000, 0 },    /* too short to be judged */
		{ 0, 1000, 10000000, 0 },   /* there is no sample that could stand for anything */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}

/* 300 ticks of 10 ms, and 100 of 2 ms: all of them together are 3.2 s. */
TEST(a_rate_that_has_changed)
{
	const struct tick_counts from = { .came = 7, .ns = 5, .frequency = 100 };
	struct tick_counts to = { .came = 407, .ns = 3200000005, .frequency = 500 };
	struct profile_info info = {};

	weight_set(&info, 77, &from, &to);
	assert_int_equal(info.frequency, 500);
	assert_int_equal(info.period_ns, 8000000);
	assert_int_equal(info.ticks_wanted, 0);
	/* A quarter of them is missing besides. */
	to.came = 1207;
	to.expected = 1600;
	to.ns = 9600000005;
	weight_set(&info, 77, &from, &to);
	assert_int_equal(info.period_ns, 8000000 * 1600LL / 1200);
	to = from; /* none came */
	weight_set(&info, 77, &from, &to);
	assert_int_equal(info.period_ns, 10000000);
}

TEST(ticks_without_a_verdict)
{
	const struct tick_counts from = { .unanalysed = 5, .forbidden = 2 },
				 to = { .unanalysed = 12, .forbidden = 6 };
	struct profile_info info = { .unanalysed = 9, .forbidden = 9 };

	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.unanalysed, 7);
	assert_int_equal(info.forbidden, 4);
}

TEST(wants_of_room_in_between)
{
	const struct tick_counts from = { .full = { 5, 0, 2 } }, to = { .full = { 7, 1, 2 } };
	struct profile_info info = { .full = { 9, 9, 9, 9 } };

	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.full[0], 2);
	assert_int_equal(info.full[1], 1);
	assert_int_equal(info.full[2], 0);
	assert_int_equal(info.full[3], 0);
}

TEST(some_are_missing)
{
	static const struct expected rows[] = {
		{ 899, 1000, 11123470, 1000 },
		{ 500, 1000, 20000000, 1000 },
		{ 100, 1000, 100000000, 1000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}

static void set_cpus(struct tick_counts *to, const struct tick_counts *from, int cpu, __u64 came,
		     __u64 expected)
{
	to->cpus[cpu].came = from->cpus[cpu].came + came;
	to->cpus[cpu].expected = from->cpus[cpu].expected + expected;
}

/* One of many, which in the sum is not to be seen. */
TEST(a_cpu_without_ticks)
{
	struct tick_counts from = BASE, to = BASE;
	struct profile_info info = { .short_cpu_count = 7 };

	for (int cpu = 0; cpu < 64; cpu++) {
		from.cpus[cpu].came = from.cpus[cpu].expected = 1000 * cpu;
		set_cpus(&to, &from, cpu, 1000 - cpu, 1000); /* up to 937 of 1000 */
	}
	set_cpus(&to, &from, 17, 3, 1000);
	set_cpus(&to, &from, 18, 0, 499); /* too short to be judged */
	to.came += 62000;
	to.expected += 63000;
	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.ticks_wanted, 0);
	assert_int_equal(info.period_ns, 10000000);
	assert_int_equal(info.short_cpu_count, 1);
	assert_int_equal(info.short_cpus[0].cpu, 17);
	assert_int_equal(info.short_cpus[0].came, 3);
	assert_int_equal(info.short_cpus[0].wanted, 1000);
	weight_set(&info, 100, &to, &to);
	assert_int_equal(info.short_cpu_count, 0);
}

TEST(the_worst_cpus_are_named)
{
	static const __u32 came[] = { 500, 899, 400, 900, 100, 899, 100, 300 };
	static const __u32 worst[PROFILE_CPUS_MAX] = { 4, 6, 7, 2 };
	const struct tick_counts from = BASE;
	struct tick_counts to = BASE;
	struct profile_info info;

	for (size_t cpu = 0; cpu < sizeof(came) / sizeof(*came); cpu++)
		set_cpus(&to, &from, cpu, came[cpu], 1000);
	weight_set(&info, 100, &from, &to);
	assert_int_equal(info.short_cpu_count, 7);
	for (int i = 0; i < PROFILE_CPUS_MAX; i++) {
		assert_int_equal(info.short_cpus[i].cpu, worst[i]);
		assert_int_equal(info.short_cpus[i].came, came[worst[i]]);
	}
}
