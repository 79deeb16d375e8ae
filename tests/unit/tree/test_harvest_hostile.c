// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_harvest_hostile.c - trees that cannot be: cycles, parents and owners out of range, free nodes, names
 * without an end. The harvest ends, believes only whole chains, and counts all of those.
 */
#include "base/buf.h"
#include "formats/folded.h"
#include "tests/forge/tables.h"
#include "tests/forge/test.h"

TEST(cycles)
{
	set_node(25, 25, 100, 1, 1); /* its own parent */
	set_node(26, 27, 100, 1, 2);
	set_node(27, 26, 101, 1, 4);
	for (__u32 i = 40; i < 8000; i++)
		set_node(i, i == 40 ? 7999 : i - 1, 100, 1, i % 100 == 0);
	set_root(30, 0, 0);
	set_node(31, 30, 100, 1, 8);
	run();
	/* What cannot be is in no profile, and makes the books say so; the rest is untouched. */
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 8\n");
}

TEST(chain_too_long)
{
	set_root(EVENT_KINDS, 0, 0);
	for (__u32 i = EVENT_KINDS + 1; i < NODES; i++)
		set_node(i, i - 1, 100, 1, i % 1000 == 0);
	run();
	/*
	 * 1000, 2000, 3000, 4000 and 5000 nodes deep; those beyond what the kernel side can make are not
	 * believed.
	 */
	assert_int_equal(stats.samples[EVENT_CPU], 5);
}

TEST(parents_out_of_range)
{
	set_node(25, NODES, 100, 1, 1);
	set_node(26, (1U << NODE_BITS) - 1, 100, 1, 2);
	set_node(27, 26, 100, 1, 4);
	nodes[28] = (struct node){ KEY_RESERVED, 8 };
	run();
	assert_string_equal(shown(), "");
	assert_int_equal(stats.nodes, 4);
}

TEST(owners_out_of_range)
{
	set_root(25, OWNERS, 1);
	set_root(26, (1U << CODE_BITS) - 1, 2);
	set_node(27, 26, 100, 1, 4);
	set_root(28, OWNERS - 1, 0); /* the last one; never filled in */
	set_node(29, 28, 100, 1, 8);
	run();
	assert_int_equal(stats.samples[EVENT_CPU], 8);
	assert_string_equal(shown(), "0/0 /: outer:11 = 8\n");
}

TEST(parent_never_filled)
{
	set_node(25, 26, 100, 1, 3); /* 26 is free; its 0 is not the root of owner 0 */
	nodes[27].count = 4;
	run();
	assert_string_equal(shown(), "");
}

TEST(name_without_end)
{
	memset(owners[OWNERS - 1].comm, 'x', sizeof(owners[0].comm));
	memset(owners[3].comm, 'y', sizeof(owners[0].comm));
	owners[4].key = ~0ULL;
	set_root(25, OWNERS - 1, 0);
	set_node(26, 25, 100, 1, 1);
	set_root(27, 3, 0);
	set_node(28, 27, 100, 1, 2);
	run();
	assert_string_equal(shown(),
			    "0/0 xxxxxxxxxxxxxxx/: outer:11 = 1\n0/0 yyyyyyyyyyyyyyy/: outer:11 = 2\n");
}

TEST(hostile_names)
{
	_cleanup_buf_ struct buf b = {};

	add_code(103, "a\nb;c\xff", "\033[2J", 1);
	memcpy(owners[0].comm, "\xff\n;\033", 5);
	set_root(25, 0, 0);
	set_node(26, 25, 103, 0, 1);
	run();
	assert_int_equal(folded_encode(profile, &b), 0);
	assert_int_equal(memchr(b.data, '\n', b.size) == b.data + b.size - 1, 1);
	assert_null(memchr(b.data, '\033', b.size));
}

static __u64 next_random(__u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Random keys, with or without sense: it returns, and has counted every node whose chain ends in an owner. */
TEST(random_trees)
{
	__u64 x = 88172645463325252ULL;

	for (int round = 0; round < 30; round++) {
		__u64 expected = 0;

		for (__u32 i = EVENT_KINDS; i < NODES; i++) {
			__u32 parent = next_random(&x) % 8
					       ? next_random(&x) % (round < 10 ? i : NODES + NODES / 8)
					       : 0;
			__u32 code = parent ? next_random(&x) % 128 : next_random(&x) % (OWNERS + 4);

			set_node(i, parent, code, (next_random(&x) & INSTR_UNKNOWN) | 1, next_random(&x) % 3);
		}
		for (__u32 i = EVENT_KINDS; i < NODES; i++) {
			__u32 at = i, steps = 0;

			while (at < NODES && node_parent(nodes[at].key) && steps++ < NODES)
				at = node_parent(nodes[at].key);
			if (at < NODES && !node_parent(nodes[at].key) && node_code(nodes[at].key) < OWNERS &&
			    !node_is_account(nodes[i].key) &&
			    node_event(nodes[i].key, EVENT_CPU) == EVENT_CPU)
				expected += nodes[i].count;
		}
		nodes[0].count = round;
		run();
		assert_true(expected > 0);
		assert_int_equal(stats.samples[EVENT_CPU], expected + round);
	}
}

AROUND_EACH(setup, teardown);
