// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cache_hits.c - what bpf/python/cache.h saves: an unchanged stack costs few reads and no new frame, a
 * changed one only the frames that changed. test_cache.c has that it is always right, which is checked here
 * too.
 */
#include <stdio.h>

#include "tests/forge/cached.h"
#include "tests/forge/test.h"

/* Python frames of one chunk after another, nothing else. */
static void begin_plain(__u32 minor, __u32 frames)
{
	begin(minor, frames, 0);
	while (chain.count < frames)
		mutate_push(PUSH_STACK);
}

/* An unchanged stack of plain frames is one read a block and one for the entry frame, however deep. */
TEST(test_full_hit_reads)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u32 frames = 3; frames <= CACHE_DEPTH; frames += 7) {
			begin_plain(forge_minors[v], frames);
			assert_true(sample(chain_leaf(), false, ~0U));
			assert_true(sample(chain_leaf(), false, ~0U));
			assert_int_equal(walk->cached.run, frames);
			assert_int_equal(walk->depth, 0);
			/*
			 * 128 bytes a frame on average; the first blocks are small, chunks end where they do.
			 */
			assert_in_range(walk->reads, 1, frames * 128 / BLOCK_SIZE + 3 + FIRST_BLOCKS);
			assert_true(walk->read_bytes <= frames * 160 + 4096);
		}
}

/* Whatever the stack, the second time is not dearer than the walk without the cache. */
TEST(test_full_hit_is_not_dearer)
{
	for (__u32 i = 0; i < 2000; i++) {
		__u32 cached;

		begin(forge_minors[i % FORGE_VERSIONS], 950000 + i, i % 300);
		assert_true(sample(chain_leaf(), i & 4, ~0U));
		assert_true(sample(chain_leaf(), i & 4, ~0U));
		assert_int_equal(walk->cached.run, chain.count);
		assert_int_equal(walk->depth, 0);
		cached = walk->reads;
		chain_walk(i & 4);
		assert_true(chain_is_whole());
		assert_true(cached <= walk->reads);
	}
}

/* Only the frames that changed are new: those of the calls since, or the one caller and all above it. */
TEST(test_partial_hit_frames)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u32 i = 0; i < 400; i++) {
			const __u32 frames = 100, changed = 1 + i % 60;

			begin_plain(forge_minors[v], frames);
			assert_true(sample(chain_leaf(), false, ~0U));
			call_again(frames - changed, 0);
			change_instr(frames - changed);
			chain.links[frames - changed].instr += 2 * MUTATE_INSTRS;
			mutate_put(frames - changed);
			assert_true(sample(chain_leaf(), false, ~0U));
			assert_int_equal(walk->cached.run, frames - changed);
			assert_int_equal(walk->depth, changed);
			mutate_pop_to(frames - changed);
			for (__u32 k = 0; k < changed; k++)
				mutate_push_as(PUSH_STACK, 1, 0, 0);
			change_instr(chain.count - 1);
			assert_true(sample(chain_leaf(), false, ~0U));
			assert_true(walk->cached.run >= frames - changed);
			assert_true(walk->reads <= 6);
		}
}

/* Returns over anything in the chunk: what is left of the stack is a hit. */
TEST(test_returns)
{
	for (__u32 i = 0; i < 2000; i++) {
		__u64 chunk;

		begin(forge_minors[i % FORGE_VERSIONS], 960000 + i, 40);
		mutate_push(PUSH_STACK);
		chunk = chain.chunk;
		mutate_push(PUSH_HEAP);
		mutate_push(PUSH_STACK);
		assert_true(sample(chain_leaf(), false, ~0U));
		if (chain.chunk != chunk)
			continue;
		mutate_pop_to(chain.count - 2);
		assert_true(sample(chain_leaf(), false, ~0U));
		assert_int_equal(walk->cached.run, chain.count);
		assert_int_equal(walk->depth, 0);
	}
}

/* A generator resumed from where another call was: everything below it is a hit. */
TEST(test_resumed_generator)
{
	for (__u32 i = 0; i < 400; i++) {
		__u32 below;

		begin_plain(forge_minors[i % FORGE_VERSIONS], 40);
		below = chain.count;
		for (__u32 k = 0; k < 1 + i % (SEEK_FRAMES - 1); k++)
			mutate_push(PUSH_STACK);
		assert_true(sample(chain_leaf(), false, ~0U));
		mutate_pop_to(below);
		mutate_push(PUSH_HEAP);
		assert_true(sample(chain_leaf(), false, ~0U));
		assert_int_equal(walk->cached.run, below);
		assert_int_equal(walk->depth, 1);
	}
}

/*
 * Frames that the cache has no room for are new every time; those that it has are hits, in whatever chunks.
 */
TEST(test_beyond_the_cache)
{
	for (__u32 i = 0; i < 60; i++) {
		const __u32 frames = CACHE_DEPTH + 1 + i * 30;

		begin_plain(forge_minors[i % FORGE_VERSIONS], frames);
		max_depth = 3000;
		assert_true(sample(chain_leaf(), false, ~0U));
		change_instr(frames - 1);
		assert_true(sample(chain_leaf(), false, ~0U));
		assert_int_equal(walk->cached.run, CACHE_DEPTH);
		assert_int_equal(walk->depth, frames - CACHE_DEPTH);
		max_depth = MAX_DEPTH;
	}
}

/* Calls that need a chunk more: what was there before is a hit. */
TEST(test_new_chunk)
{
	for (__u32 i = 0; i < 400; i++) {
		__u32 below;

		begin_plain(forge_minors[i % FORGE_VERSIONS], 60 + i % 50);
		below = chain.count;
		assert_true(sample(chain_leaf(), false, ~0U));
		while (chain.count < below + 80)
			mutate_push(PUSH_STACK);
		assert_true(sample(chain_leaf(), false, ~0U));
		assert_int_equal(walk->cached.run, below);
	}
}

AROUND_ALL(setup, teardown);
