// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cache.c - bpf/python/cache.h beside a naive walk, while a forged thread goes on running: after every
 * change the same frames and the same node, or no answer where there is no whole stack; on every version,
 * with block and single reads, with a fault at every read. test_cache_hits.c has what it saves.
 */
#include <stdio.h>

#include "tests/forge/cached.h"
#include "tests/forge/test.h"

static void run_sequences(__u64 first_seed, __u32 sequences, __u32 changes, __u32 most)
{
	for (__u32 i = 0; i < sequences; i++) {
		const bool single = i & 1;

		begin(forge_minors[i / 2 % FORGE_VERSIONS], first_seed + i, most / 2);
		for (__u32 k = 0; k < changes; k++) {
			sample_usual(single);
			cache_knows_places();
			change(most);
		}
	}
}

TEST(test_short_stacks)
{
	run_sequences(1000, 16000, 40, 12);
	/* All that the cache can do has been done, often. */
	assert_true(seen.full > 1000 && seen.partial > 10000 && seen.miss > 1000);
}

TEST(test_middling_stacks)
{
	run_sequences(100000, 4000, 40, 80);
}

/* Over chunks, and the cache's own limit of frames. */
TEST(test_deep_stacks)
{
	run_sequences(200000, 200, 25, 400);
	for (__u32 i = 0; i < 200; i++) {
		begin(forge_minors[i % FORGE_VERSIONS], 300000 + i, CACHE_DEPTH - 60 + i);
		for (__u32 k = 0; k < 10; k++) {
			sample_usual(i & 4);
			change(CACHE_DEPTH + 600);
			call(forge_between(&chain.random, 0, k & 1 ? 200 : 3));
		}
	}
}

TEST(test_cache_depth)
{
	for (limit = 0; limit < 40; limit += limit < 4 ? 1 : 7)
		run_sequences(400000 + limit, 64, 30, 60);
	limit = CACHE_DEPTH;
}

/* Near --max-depth a stack is whole up to it, and beyond it never, wherever the cached part ends. */
TEST(test_max_depth)
{
	__u64 refused = seen.refused, stacks = seen.stacks;

	max_depth = 25;
	for (__u32 i = 0; i < 400; i++) {
		begin(forge_minors[i % FORGE_VERSIONS], 500000 + i, 40);
		for (__u32 k = 0; k < 30; k++) {
			sample(chain_leaf(), i & 4, ~0U);
			change(90);
		}
	}
	max_depth = MAX_DEPTH;
	assert_true(seen.refused > refused + 500 && seen.stacks > stacks + 500);
}

/*
 * With shims, which --max-depth does not count, there may be no room: then no stack, rather than a part of
 * one.
 */
static void sample_if_there_is_room(bool shims)
{
	if (walk_with_cache(chain_leaf(), false)) {
		assert_true(sample(chain_leaf(), false, ~0U));
		return;
	}
	assert_true(shims && chain.count > DEPTH_LIMIT);
	cache->depth = 0;
}

/* The most frames there can be, on top of a cached part that proves wrong at its last frame. */
TEST(test_deepest)
{
	max_depth = DEPTH_LIMIT - 1;
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u32 shims = 0; shims < 3; shims++) {
			begin(forge_minors[v], v, 0);
			while (chain.count < CACHE_DEPTH)
				mutate_push(PUSH_STACK);
			assert_true(sample(chain_leaf(), false, ~0U));
			while (chain.python < max_depth - 60 * (shims == 1))
				mutate_push(shims && !(chain.count % 50) ? PUSH_SHIM : PUSH_STACK);
			chain.links[1].instr += 2 * MUTATE_INSTRS;
			mutate_put(1);
			sample_if_there_is_room(shims);
		}
	max_depth = MAX_DEPTH;
}

/*
 * What a state of cache and memory gives when reads number `nth` and on fail. Returns whether one was made.
 */
static bool fault_at(__u64 nth, __u64 faults, bool single, __u8 garbage)
{
	sparse.reads = sparse.visited = 0;
	sparse.fail_from = nth;
	sparse.fail_to = nth + faults - 1;
	sparse.garbage = garbage;
	if (!sample(chain_leaf(), single, ~0U))
		assert_true(sparse.visited > 0);
	assert_true(walk->reads <= 4 * chain.count);
	return sparse.visited > 0;
}

/* A fault gives the same stack, by other reads, or none; and what is remembered stays right either way. */
TEST(test_fault_at_every_read)
{
	struct cache *before = malloc(sizeof(*before));
	__u64 met = 0, made_up = 0;

	assert_non_null(before);
	for (__u32 i = 0; i < 160; i++) {
		const bool single = i & 1;

		begin(forge_minors[i / 2 % FORGE_VERSIONS], 600000 + i, 40);
		sample_usual(single);
		for (__u32 k = 0; k < 6; k++) {
			change(80);
			memcpy(before, cache, sizeof(*before));
			for (__u64 nth = 1; fault_at(nth, i & 8 ? 1 : 100000, single, i & 16 ? 0x10 : 0);
			     nth++) {
				met++;
				made_up += cache->depth > 0;
				if (nth & 1) /* else with what the faulty sample has left */
					memcpy(cache, before, sizeof(*cache));
			}
			sparse.fail_from = sparse.fail_to = 0;
			sample_usual(single);
		}
	}
	free(before);
	assert_true(met > 5000 && made_up > 200);
}

/* Pages go and come back between two samples: only whole stacks, and those always. */
TEST(test_missing_pages)
{
	__u64 refused = seen.refused;

	for (__u32 i = 0; i < 300; i++) {
		begin(forge_minors[i % FORGE_VERSIONS], 700000 + i, 60);
		mutate.unmaps = false;
		for (__u32 k = 0; k < 20; k++) {
			__u64 page = chain.links[mutate_random(0, chain.count - 1)].address;

			sample(chain_leaf(), i & 4, ~0U);
			change(90);
			sparse_map(page);
			sparse_hide(page, true);
			sample(chain_leaf(), i & 4, ~0U);
			sparse_hide(page, false);
		}
	}
	assert_true(seen.refused > refused + 1000);
}

/* Words of frames become anything: null, other frames, kernel addresses; then they are put right again. */
TEST(test_damage)
{
	static const __u64 nasty[] = { 0, 8, 4095, 1ULL << ADDRESS_BITS, ~0ULL - 7, DECOY,
				      DECOY | 1, CHUNKS_AT };
	__u64 refused = seen.refused, stacks = seen.stacks;

	for (__u32 i = 0; i < 1500; i++) {
		begin(forge_minors[i % FORGE_VERSIONS], 800000 + i, 30);
		for (__u32 k = 0; k < 20; k++) {
			__u32 at = mutate_random(0, chain.count - 1), word = mutate_random(0, 9);
			__u64 value = nasty[mutate_random(0, ARRAY_SIZE(nasty) - 1)], was;

			sample(chain_leaf(), i & 4, ~0U);
			/*
			 * A frame on the data stack never becomes an entry frame (those lie on the C stack),
			 * so the comparison of blocks does not look at the owner.
			 */
			if (word == chain.l.frame_owner / 8)
				word = 0;
			if (mutate_random(0, 1))
				value = chain.links[mutate_random(0, chain.count - 1)].address;
			sparse_peek(&was, 8, chain.links[at].address + word * 8);
			sparse_put(chain.links[at].address + word * 8, value);
			sample(chain_leaf(), i & 4, ~0U);
			if (mutate_random(0, 2))
				sparse_put(chain.links[at].address + word * 8, was);
			change(60);
		}
	}
	assert_true(seen.refused > refused + 3000 && seen.stacks > stacks + 3000);
}

/* The chunk that the thread state names, and those it leads to, may be any. */
TEST(test_lying_chunks)
{
	for (__u32 i = 0; i < 1000; i++) {
		begin(forge_minors[i % FORGE_VERSIONS], 900000 + i, 60);
		for (__u32 k = 0; k < 20; k++) {
			const __u64 chunk = chain.chunk,
				    lie = chain_leaf() + 8 * mutate_random(0, 5000) - 20000;

			sparse_put(chain.links[mutate_random(0, chain.count - 1)].address &
					   ~(__u64)(CHUNK_SIZE - 1),
				   lie);
			for (__u32 n = 0; n < chain.count; n++)
				mutate_put(n);
			chain.chunk = lie;
			sample_usual(false);
			chain.chunk = chunk;
			change(90);
		}
	}
}

/* Frames in any order and at any distance in two chunks, even inside of each other; one changes at a time. */
TEST(test_jumps)
{
	const __u64 base = CHUNKS_AT;
	__u64 whole = 0, r = 5;

	for (__u32 i = 0; i < 6000; i++) {
		const __u32 frames = forge_between(&r, 4, 60);

		begin(forge_minors[i % FORGE_VERSIONS], i, 0);
		for (__u64 at = 0; at < 2 * CHUNK_SIZE; at += SPARSE_PAGE)
			sparse_map(base + at);
		sparse_put(base, base + CHUNK_SIZE);
		chain.chunk = base + (i & 4 ? CHUNK_SIZE : 0);
		for (__u32 k = 1; k < frames; k++) {
			chain.links[k] = chain.links[1];
			chain.links[k].address = base + forge_between(&r, 8, i & 8 ? 80 : 4000) * 8;
			chain.links[k].instr =
				mutate_instr(chain.links[k].code = mutate_code(k % MUTATE_CODES));
		}
		chain.count = frames;
		for (__u32 k = 0; k < frames; k++)
			mutate_put(k);
		for (__u32 k = 0; k < 6; k++) {
			whole += sample(chain_leaf(), false, ~0U);
			change_instr(forge_between(&r, 1, frames - 1));
		}
	}
	assert_in_range(whole, 6000, 33000);
}

TEST(test_arguments)
{
	begin(0x030d, 1, 5);
	assert_true(cache_run(NULL, cache, &chain.l) < 0);
	assert_true(cache_run(walk, NULL, &chain.l) < 0);
	assert_true(cache_run(walk, cache, NULL) < 0);
	assert_false(walk_with_cache(0, false));
	assert_false(walk_with_cache(12, false));
	assert_int_equal(walk->reads, 0);
}

AROUND_ALL(setup, teardown);
