// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rest.c - looks that stand for others: however long nothing was there, they stand for as many as there
 * were turns, and which one of a block is made is chance.
 */
#include "hosted/rest.h"
#include "tests/forge/test.h"

TEST(all_turns_are_stood_for)
{
	__u64 random = 12345;

	for (unsigned int shift = 0; shift < 7; shift++) {
		struct rest r = { 0 };
		unsigned int sum = 0, looks = 0;

		for (unsigned int i = 0; i < 640; i++) {
			const unsigned int weight = rest_next(&r, shift, &random);

			assert_true(!weight || weight == 1U << shift);
			sum += weight;
			looks += weight > 0;
		}
		assert_int_equal(sum, 640);
		assert_int_equal(looks, 640 >> shift);
	}
}

TEST(a_block_is_not_cut_short)
{
	struct rest r = { 0 };
	__u64 random = 99;
	unsigned int sum = rest_next(&r, 3, &random);

	for (int i = 0; i < 7; i++) /* from here on every turn is one */
		sum += rest_next(&r, 0, &random);
	assert_int_equal(sum, 8);
	assert_int_equal(rest_next(&r, 0, &random), 1);
}

TEST(each_of_a_block_has_its_turn)
{
	unsigned int made[8] = { 0 };
	struct rest r = { 0 };
	__u64 random = 7;

	for (int i = 0; i < 8 * 4000; i++)
		made[i % 8] += rest_next(&r, 3, &random) > 0;
	for (int i = 0; i < 8; i++)
		assert_true(made[i] > 400 && made[i] < 600);
}

TEST(the_longer_there_is_nothing_the_fewer_looks)
{
	unsigned int looks[4] = { 0 };
	struct rest r = { 0 };
	__u64 random = 3;

	for (int i = 0; i < 4000; i++) {
		if (!rest_idle_next(&r, &random))
			continue;
		looks[i / 1000]++;
		rest_met(&r, 0);
	}
	assert_int_equal(looks[1], 125); /* one of eight */
	assert_int_equal(looks[3], 125);
	assert_true(looks[0] > 150 && looks[0] < 250);
	/* Something: at once each time, when the block is over. */
	while (!rest_idle_next(&r, &random))
		;
	rest_met(&r, 1);
	while (r.left)
		assert_int_equal(rest_idle_next(&r, &random), 0);
	for (int i = 0; i < REST_IDLE; i++) {
		assert_int_equal(rest_idle_next(&r, &random), 1);
		rest_met(&r, 0);
	}
}
