// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_walk.c - bpf/python/walk.h on forged chains that are as they should be, of every version that is
 * supported: depths, sizes, places, block and single reads, truncation, the root rules. test_walk_hostile.c
 * has the rest.
 */
#include <stdio.h>

#include "tests/forge/chain.h"
#include "tests/forge/test.h"

/* In both ways of reading. Returns the reads of the way with blocks. */
static __u32 whole_in_both_modes(void)
{
	__u32 reads;

	chain_walk(true);
	assert_true(chain_is_whole());
	assert_int_equal(walk->faults, 0);
	assert_int_equal(walk->reads, chain.count);
	chain_walk(false);
	assert_true(chain_is_whole());
	assert_int_equal(walk->faults, 0);
	reads = walk->reads;
	/* A read for each frame is the worst case. */
	assert_true(reads <= chain.count);
	return reads;
}

TEST(test_every_depth)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u32 depth = 1; depth <= 1100; depth++) {
			chain_random(forge_minors[v], depth, depth);
			whole_in_both_modes();
		}
}

/* Short and middling chains, where ends and changes of place are frequent. */
TEST(test_random_chains)
{
	__u64 seed = 20260101;

	for (__u32 i = 0; i < 8000; i++) {
		__u32 depth = forge_between(&seed, 1, 200);

		chain_random(forge_minors[i % FORGE_VERSIONS], i, depth);
		whole_in_both_modes();
	}
}

/* A block over a page that is not resident cannot be read: then each frame is, on its own. */
TEST(test_holes_in_frames)
{
	__u32 faults = 0;

	chain.holes = true;
	for (__u32 i = 0; i < 1000; i++) {
		chain_begin(forge_minors[i % FORGE_VERSIONS], i);
		chain_push_root();
		while (chain.count < 100)
			chain_push(PUSH_STACK,
				   chain.count % 7 ? 104 : forge_between(&chain.random, 1, 2000) * 8 + 80);
		chain_walk(false);
		assert_true(chain_is_whole());
		assert_true(walk->reads - walk->faults <= chain.count);
		faults += walk->faults;
	}
	chain.holes = false;
	assert_true(faults > 1000);
}

/* Frames of one size put a frame across every position of a block's and a chunk's boundary in turn. */
TEST(test_every_boundary)
{
	for (__u32 size = 80; size <= 4400; size += 8) {
		chain_begin(0x030d, size);
		chain_push_root();
		for (int i = 0; i < 200; i++)
			chain_push(PUSH_STACK, size);
		whole_in_both_modes();
	}
}

/* The last frame of a chunk ends where the chunk does, and behind it nothing is mapped. */
TEST(test_chunk_full_to_the_last_byte)
{
	for (__u64 last = 80; last < 9000; last += 8) {
		chain_begin(0x030e, last);
		chain_push_root();
		chain_push(PUSH_STACK, CHUNK_SIZE - FORGE_CHUNK_HEADER - 8 - last);
		chain_push(PUSH_STACK, last);
		assert_int_equal(chain.top, chain.chunk + CHUNK_SIZE);
		whole_in_both_modes();
		chain_push(PUSH_STACK, 80);
		chain_push(PUSH_STACK, CHUNK_SIZE - FORGE_CHUNK_HEADER - 80);
		whole_in_both_modes();
	}
}

/* One frame larger than a chunk gets a chunk to its size; what is called from it goes there too. */
TEST(test_large_chunks)
{
	static const __u64 sizes[] = { 12000, 16384, 20000, 40000, 100000 };

	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			chain_begin(forge_minors[v], sizes[i]);
			chain_push_root();
			for (int k = 0; k < 300; k++)
				chain_push(PUSH_STACK, k % 100 == 50 ? sizes[i] : 160);
			whole_in_both_modes();
		}
}

/* What blocks are for. The frames of this chain fill the blocks but for their ends. */
TEST(test_blocks_save_reads)
{
	__u32 reads, best;

	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		chain_begin(forge_minors[v], 5);
		chain_push_root();
		while (chain.count < 1000)
			chain_push(PUSH_STACK, 120);
		reads = whole_in_both_modes();
		best = 1000 * 120 / BLOCK_SIZE;
		assert_in_range(reads, best, best + best / 4 + 2 + FIRST_BLOCKS); /* which are small */
		/* A generator in between does not make the walk read its block again. */
		chain_begin(forge_minors[v], 5);
		chain_push_root();
		for (int i = 0; i < 16; i++)
			chain_push(i % 2 ? PUSH_HEAP : PUSH_STACK, 120);
		reads = whole_in_both_modes();
		assert_in_range(reads, 8 + 1, 8 + 1 + FIRST_BLOCKS);
	}
}

TEST(test_truncation)
{
	static const __u32 depths[] = { 1, 2, 15, 16, 17, 51, 52, 1024, DEPTH_LIMIT - 1 };

	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < ARRAY_SIZE(depths) * 2; i++) {
			__u32 depth = depths[i / 2];
			bool single = i % 2;

			chain_random(forge_minors[v], i, depth);
			chain_walk_from(chain_leaf(), chain.chunk, single, depth);
			assert_true(chain_is_whole());
			chain_push(PUSH_STACK, 80);
			chain_walk_from(chain_leaf(), chain.chunk, single, depth);
			assert_int_equal(walk->end, WALK_DEEP);
			assert_int_equal(walk->depth, depth);
			assert_int_equal(walk->python, depth);
			assert_true(chain_is_prefix());
			assert_false(walk_is_whole(walk, &chain.l, 0));
		}
}

/* Entry frames on the C stack are the interpreter's: they do not use up --max-depth. */
TEST(test_shims_cost_no_depth)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		if (forge_layout(forge_minors[v]).root_rule != ROOT_SHIM)
			continue;
		chain_begin(forge_minors[v], v);
		chain_push_root();
		for (int i = 0; i < 600; i++)
			chain_push(i % 3 ? PUSH_SHIM : i % 2 ? PUSH_HEAP : PUSH_STACK, 96);
		assert_int_equal(chain.python, 200);
		for (int single = 0; single < 2; single++) {
			chain_walk_from(chain_leaf(), chain.chunk, single, 200);
			assert_true(chain_is_whole());
			chain_walk_from(chain_leaf(), chain.chunk, single, 199);
			assert_int_equal(walk->end, WALK_DEEP);
			assert_int_equal(walk->depth, 199);
		}
	}
}

/* A chain whose last frame has this owner and is_entry. */
static bool root_is_whole(__u32 minor, __u8 owner, __u8 is_entry, bool single)
{
	chain_begin(minor, 7);
	chain_push_root();
	chain_push(PUSH_STACK, 96);
	chain_push(PUSH_STACK, 96);
	chain.links[0].owner = owner;
	chain.links[0].is_entry = is_entry;
	chain.links[0].code = CODES_AT;
	chain_put(&chain.links[0], 0);
	chain_walk(single);
	assert_int_equal(walk->end, WALK_ROOT);
	assert_int_equal(walk->depth, owner < chain.l.owner_shim ? 3 : 2);
	return walk_is_whole(walk, &chain.l, 0);
}

TEST(test_root_rules)
{
	for (int i = 0; i < 6 * 4; i++) {
		int owner = i / 4, is_entry = i / 2 % 2, single = i % 2;

		/*
		 * 3.11: an entry frame of a thread (owner 0) or with a frame object (2), not of a generator.
		 */
		assert_int_equal(root_is_whole(0x030b, owner, is_entry, single),
				 is_entry && (owner == 0 || owner == 2));
		/* Later: a frame on the C stack (3); 3.14 has two kinds of them (3, 4). */
		assert_int_equal(root_is_whole(0x030c, owner, is_entry, single), owner >= 3);
		assert_int_equal(root_is_whole(0x030d, owner, is_entry, single), owner >= 3);
		assert_int_equal(root_is_whole(0x030e, owner, is_entry, single), owner >= 3);
	}
}

/* The rules of versions that have no layout yet. */
TEST(test_other_root_rules)
{
	chain_random(0x030d, 3, 10);
	chain_walk(false);
	/*
	 * 3.6 to 3.10: the last frame must not be a generator's: the word that says so is 0 here, and then
	 * not.
	 */
	chain.l.root_rule = ROOT_NULL;
	chain.l.frame_generator = chain.l.frame_previous;
	assert_true(walk_is_whole(walk, &chain.l, 0));
	chain.l.frame_generator = chain.l.frame_instr;
	assert_false(walk_is_whole(walk, &chain.l, 0));
	chain.l.frame_generator = 0; /* 2.7 has no such word */
	assert_true(walk_is_whole(walk, &chain.l, 0));
	chain.l.root_rule = ROOT_BASE;
	assert_false(walk_is_whole(walk, &chain.l, 0));
	assert_true(walk_is_whole(walk, &chain.l, chain.links[0].address));
	chain.l.root_rule = 0;
	assert_false(walk_is_whole(walk, &chain.l, 0));
	for (walk->end = WALK_ON; walk->end <= WALK_DEEP; walk->end++)
		for (__u8 rule = ROOT_ENTRY; rule <= ROOT_NULL; rule++) {
			chain.l.root_rule = rule;
			if (walk->end != WALK_ROOT)
				assert_false(walk_is_whole(walk, &chain.l, 1));
		}
}

/*
 * A chain whose last frame, with this owner, is so many bytes behind the frame object that it names, which
 * names a frame so many bytes behind this one.
 */
static bool compiled_is_whole(__u32 minor, __u8 owner, __u64 behind, __u64 other, bool single)
{
	__u64 root;

	chain_begin(minor, 7);
	chain_push(PUSH_HEAP, 600);
	root = chain.links[0].address;
	chain.links[0].owner = owner;
	chain_put(&chain.links[0], 0);
	sparse_put(root + chain.l.frame_object, root - behind);
	sparse_put(root - behind + chain.l.object_frame, root + other);
	chain_push(PUSH_HEAP, 600);
	chain_push(PUSH_STACK, 96);
	chain_walk(single);
	assert_int_equal(walk->end, WALK_ROOT);
	assert_true(chain_is_prefix() && walk->depth == 3);
	return walk_is_whole(walk, &chain.l, 0);
}

/* Frames that Nuitka makes are parts of their own frame objects, and say that a generator owns them. */
TEST(test_root_of_compiled_code)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (int single = 0; single < 2; single++) {
			const __u32 minor = forge_minors[v];

			assert_true(compiled_is_whole(minor, OWNED_BY_GENERATOR, 120, 0, single));
			/* One of the interpreter's that is half linked */
			assert_false(compiled_is_whole(minor, OWNED_BY_THREAD, 120, 0, single));
			assert_false(compiled_is_whole(minor, OWNED_BY_FRAME_OBJECT, 120, 0, single));
			assert_false(compiled_is_whole(minor, OWNED_BY_GENERATOR, 4096, 0, single));
			assert_false(compiled_is_whole(minor, OWNED_BY_GENERATOR, 120, 8, single));
		}
}

TEST(test_no_frame)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		chain_random(forge_minors[v], v, 10);
		chain_walk_from(0, chain.chunk, false, 100);
		assert_int_equal(walk->end, WALK_ROOT);
		assert_int_equal(walk->depth, 0);
		assert_int_equal(walk->reads, 0);
		assert_false(walk_is_whole(walk, &chain.l, 0));
	}
	assert_true(walk_run(NULL, &chain.l) < 0);
	assert_true(walk_run(walk, NULL) < 0);
}

AROUND_ALL(chain_setup, chain_teardown);
