// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_walk_hostile.c - bpf/python/walk.h on memory that lies or is not there: cycles, bad pointers, false
 * chunks, pages that are missing, a fault at every read in turn. Never a wrong frame, always a bounded number
 * of reads.
 */
#include <stdio.h>

#include "tests/forge/chain.h"
#include "tests/forge/test.h"

#define MAX_DEPTH 300

/* Every step reads once, or twice when the block cannot be had. */
#define READS_MAX (2 * 2 * DEPTH_LIMIT)

static const __u64 nasty[] = {
	1,
	7,
	8,
	2048,
	4088,
	4095,
	4097,
	0x1001,
	0x7f0000000004,
	1ULL << ADDRESS_BITS,
	(1ULL << ADDRESS_BITS) + 8,
	(1ULL << ADDRESS_BITS) + 4088,
	(1ULL << ADDRESS_BITS) + 4096,
	1ULL << 63,
	0xffff888000000000,
	0xffffffff81000000,
	~0ULL,
	~0ULL - 7,
	~0ULL - 4095,
	4096,
	8192,
	(1ULL << ADDRESS_BITS) - 8,
	(1ULL << ADDRESS_BITS) - 4096,
	0x7f1200000000,
	0x7f3400000000 - 8,
	DECOY,
	DECOY + 8,
	DECOY | 1,
	0x5a5a5a5a5a5a5a58,
	0x0000800000000000 - FRAME_READ,
};

static struct naive naive;

/* In both modes the same as the naive walk. */
static void agrees_in_both_modes(__u64 leaf, __u64 chunk)
{
	naive_walk(&naive, leaf, MAX_DEPTH);
	for (int single = 0; single < 2; single++) {
		chain_walk_from(leaf, chunk, single, MAX_DEPTH);
		assert_true(naive_agrees(&naive));
		assert_true(walk->reads <= READS_MAX);
	}
}

/* A few calls, with one kind on every side of another. */
static void ordinary(__u32 minor, __u64 seed)
{
	static const enum push kinds[] = { PUSH_STACK, PUSH_STACK, PUSH_HEAP, PUSH_STACK,
					   PUSH_SHIM,  PUSH_STACK, PUSH_SHIM, PUSH_HEAP,
					   PUSH_STACK, PUSH_STACK, PUSH_STACK };

	chain_begin(minor, seed);
	chain_push_root();
	for (size_t i = 0; i < 130; i++)
		chain_push(kinds[i % ARRAY_SIZE(kinds)], i % 23 ? 136 : 9000);
}

static void link_to(__u32 from, __u64 previous)
{
	chain_put(&chain.links[from], previous);
}

/* Of one frame, of two, through every kind of frame and over chunks: as deep as may be, and no deeper. */
TEST(test_cycles)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u32 length = 1; length < 130; length++) {
			bool python = false;

			ordinary(forge_minors[v], length);
			for (__u32 i = chain.count - length; i < chain.count; i++)
				python |= chain.links[i].python;
			link_to(chain.count - length, chain_leaf());
			agrees_in_both_modes(chain_leaf(), chain.chunk);
			assert_int_equal(walk->end, python ? WALK_DEEP : WALK_ON);
			assert_false(walk_is_whole(walk, &chain.l, 0));
		}
}

/* The worst: a cycle of frames that cost no depth, on two pages, so that no read serves twice. */
TEST(test_cycle_of_shims)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		if (forge_layout(forge_minors[v]).root_rule != ROOT_SHIM)
			continue;
		for (int length = 1; length < 4; length++) {
			chain_begin(forge_minors[v], v);
			for (int i = 0; i < length; i++)
				chain_push(PUSH_SHIM, 5000);
			link_to(0, chain_leaf());
			for (int single = 0; single < 2; single++) {
				chain_walk_from(chain_leaf(), chain.links[0].address, single, MAX_DEPTH);
				assert_int_equal(walk->depth, 0);
				assert_false(walk_is_whole(walk, &chain.l, 0));
				assert_true(walk->reads <= READS_MAX);
			}
		}
	}
}

/* Every bad pointer as the first frame, as every frame's previous and as its code. */
TEST(test_bad_pointers)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < ARRAY_SIZE(nasty); i++) {
			ordinary(forge_minors[v], i);
			agrees_in_both_modes(nasty[i], chain.chunk);
			agrees_in_both_modes(nasty[i], nasty[i]);
			for (__u32 at = 0; at < chain.count; at++) {
				struct chain_link *f = &chain.links[at];
				__u64 code = f->code, previous = at ? f[-1].address : 0;

				link_to(at, nasty[i]);
				agrees_in_both_modes(chain_leaf(), chain.chunk);
				f->code = nasty[i];
				link_to(at, previous);
				agrees_in_both_modes(chain_leaf(), chain.chunk);
				f->code = code;
				link_to(at, previous);
			}
			chain_walk(false);
			assert_true(chain_is_whole());
		}
}

/*
 * What comes out can be an address in the lower half, 8-aligned and not on the first page, or it is not
 * there.
 */
TEST(test_no_frame_with_bad_code)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < ARRAY_SIZE(nasty) * 2; i++) {
			ordinary(forge_minors[v], i);
			chain.links[100].code = nasty[i / 2];
			chain_put(&chain.links[100], chain.links[99].address);
			chain_walk(i % 2);
			for (__u32 k = 0; k < walk->depth; k++) {
				assert_true(mem_plausible(walk->frames[k].address));
				assert_true(mem_plausible(walk->frames[k].code));
			}
		}
}

/* 3.14 marks references with low bits; before that no bit may be set. */
TEST(test_tag_bits)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u64 tag = 0; tag < 8; tag++) {
			__u8 bytes[FRAME_READ];
			bool legal = !(tag & ~(__u64)forge_layout(forge_minors[v]).pointer_tag);

			chain_random(forge_minors[v], tag, 20);
			while (!chain.links[chain.count - 1].python)
				chain_push(PUSH_STACK, 80);
			sparse_copy(chain_leaf(), bytes, sizeof(bytes), false);
			forge_put(bytes, chain.l.frame_code, chain.links[chain.count - 1].code | tag, 8);
			sparse_write(chain_leaf(), bytes, sizeof(bytes));
			for (int single = 0; single < 2; single++) {
				chain_walk(single);
				assert_int_equal(walk->end, legal ? WALK_ROOT : WALK_BAD);
				assert_int_equal(chain_is_whole(), legal);
				assert_int_equal(walk->depth, legal ? chain.python : 0);
			}
		}
}

/* Places near a frame, and far from any, where a chunk might be said to begin. */
static __u64 chunk_lie(__u64 frame, size_t i)
{
	static const __s64 offsets[] = { 8,	 24,	 80,	4096,  8192,   16384,	  1 << 20, -1,
					 -5,	 -8,	 -16,	-4016, -4017,  -4024,	  -4096,   -4104,
					 -16376, -16383, -4095, -100,  -16384, -(1 << 20) };

	if (i < ARRAY_SIZE(nasty))
		return nasty[i];
	i -= ARRAY_SIZE(nasty);
	if (i < ARRAY_SIZE(offsets))
		return frame + offsets[i];
	return chain.links[(i - ARRAY_SIZE(offsets)) % chain.count].address;
}

#define CHUNK_LIES 150

/* A chunk only says where reading may pay. The frames are the same whatever it is. */
TEST(test_lying_chunk)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < CHUNK_LIES; i++) {
			ordinary(forge_minors[v], i);
			chain_walk_from(chain_leaf(), chunk_lie(chain_leaf(), i), false, MAX_DEPTH);
			assert_true(chain_is_whole());
			assert_true(walk->reads <= 2 * chain.count);
		}
}

/* The same for the word that says where the chunk before is: lies about the place of every frame. */
TEST(test_lying_older_chunk)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (size_t i = 0; i < CHUNK_LIES * 20; i++) {
			const struct chain_link *f;

			if (i % CHUNK_LIES == 0)
				ordinary(forge_minors[v], i);
			f = &chain.links[i * 7 % chain.count];
			sparse_put(chain.chunk, chunk_lie(f->address, i % CHUNK_LIES));
			chain_walk(false);
			assert_true(chain_is_whole());
			assert_true(walk->reads <= 2 * chain.count);
		}
}

/* Even where the frame itself can lie at any distance from it. */
TEST(test_random_chunks)
{
	__u64 seed = 77;

	for (int i = 0; i < 4000; i++) {
		__u32 depth = forge_between(&seed, 1, 60);

		chain_random(forge_minors[i % FORGE_VERSIONS], i, depth);
		sparse_put(chain.chunk, chain.chunk + (__s64)(forge_random(&seed) % 65536) - 32768);
		chain_walk_from(chain_leaf(), chain_leaf() - forge_between(&seed, 0, 20000), false,
				MAX_DEPTH);
		assert_true(chain_is_whole());
		assert_true(walk->reads <= 2 * chain.count);
	}
}

/* Words anywhere in a chain's frames and chunks become anything. */
TEST(test_random_damage)
{
	__u64 seed = 4242;

	for (int i = 0; i < 8000; i++) {
		__u32 depth = forge_between(&seed, 1, 80), words = forge_between(&seed, 1, 5);

		chain_random(forge_minors[i % FORGE_VERSIONS], i, depth);
		while (words--) {
			__u64 frame = chain.links[forge_random(&seed) % chain.count].address, value;
			__u64 other = chain.links[forge_random(&seed) % chain.count].address;
			__u64 what = forge_random(&seed) % 4;

			value = what == 0   ? nasty[forge_random(&seed) % ARRAY_SIZE(nasty)]
				: what == 1 ? forge_random(&seed)
				: what == 2 ? other
					    : 0;
			sparse_put(frame + forge_between(&seed, 0, 10) * 8, value);
		}
		agrees_in_both_modes(chain_leaf(), chain.chunk);
		agrees_in_both_modes(chain_leaf(), chain.links[chain.count / 2].address & ~4095ULL);
	}
}

/* Frames that begin inside of others, on every side of the end of a block. */
TEST(test_overlapping_frames)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__s64 shift = -2 * FRAME_READ; shift <= 2 * FRAME_READ; shift += 8)
			for (__u32 at = 1; at < 130; at += 7) {
				ordinary(forge_minors[v], at);
				link_to(at, chain.links[at].address + shift);
				agrees_in_both_modes(chain_leaf(), chain.chunk);
				agrees_in_both_modes(chain.links[at].address, chain.chunk);
			}
}

/* A chain that goes to and fro in two chunks of which pages are missing: no block serves after its time. */
TEST(test_jumps)
{
	__u64 seed = 99, whole = 0;

	for (int i = 0; i < 4000; i++) {
		__u64 base = CHUNKS_AT, pages = 2 * CHUNK_SIZE / SPARSE_PAGE, previous = 0;

		chain_begin(forge_minors[i % FORGE_VERSIONS], i);
		chain_push_root();
		previous = chain_leaf();
		for (__u64 page = 0; page < pages; page++)
			sparse_map(base + page * SPARSE_PAGE);
		sparse_put(base, base + CHUNK_SIZE);
		for (__u32 k = 0; k < 40; k++) {
			struct chain_link f = { .code = CODES_AT + k * 8, .instr = k, .python = true };

			f.address = base + FORGE_CHUNK_HEADER +
				    forge_between(&seed, 0, 2 * CHUNK_SIZE / 8 - 20) * 8;
			chain_put(&f, previous);
			previous = f.address;
		}
		for (int hidden = forge_between(&seed, 0, 2); hidden; hidden--)
			sparse_hide(base + forge_between(&seed, 0, pages - 1) * SPARSE_PAGE, true);
		agrees_in_both_modes(previous, base);
		agrees_in_both_modes(previous, base + CHUNK_SIZE);
		whole += walk->end == WALK_ROOT;
	}
	assert_in_range(whole, 100, 3900);
}

/* Each page missing in turn: the frames above the first that touches it, and never a whole stack. */
TEST(test_every_page_missing)
{
	__u32 missing = 0, harmless = 0;

	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (__u64 seed = 0; seed < 6; seed++) {
			chain_random(forge_minors[v], seed, 150);
			for (__u32 page = 0; page < sparse_count; page++) {
				__u64 address = sparse_pages[sparse_used[page]].address;

				sparse_hide(address, true);
				agrees_in_both_modes(chain_leaf(), chain.chunk);
				assert_true(chain_is_prefix());
				assert_int_equal(chain_is_whole(), walk->end != WALK_FAULT);
				missing += walk->end == WALK_FAULT;
				harmless += walk->end != WALK_FAULT;
				sparse_hide(address, false);
			}
		}
	assert_true(missing > 200);
	assert_true(harmless > 20);
}

/*
 * Reads number `nth` to `nth + count - 1` fail. One failed read of a block is made up for; a failed read of a
 * single frame ends the walk there.
 */
static bool fault_at(__u64 nth, __u64 count, bool single, __u8 garbage)
{
	sparse.reads = sparse.visited = 0;
	sparse.fail_from = nth;
	sparse.fail_to = nth + count - 1;
	sparse.garbage = garbage;
	chain_walk(single);
	if (!sparse.visited)
		return false;
	assert_int_equal(walk->faults, sparse.visited);
	assert_true(chain_is_prefix());
	assert_true(walk->reads <= 2 * chain.count);
	if (walk->end != WALK_FAULT)
		assert_true(chain_is_whole());
	else
		assert_false(walk_is_whole(walk, &chain.l, 0));
	/* A frame's own read failed, at once or after that of its block. */
	if (single || count > 1)
		assert_int_equal(walk->end, WALK_FAULT);
	return true;
}

TEST(test_fault_at_every_read)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (int i = 0; i < 12; i++) {
			bool single = i & 1;
			__u64 count = i & 2 ? 100000 : 1, nth = 1, without;
			__u8 garbage = i < 4 ? 0 : i < 8 ? 0xff : 0x10;

			ordinary(forge_minors[v], i);
			sparse.fail_to = 0;
			chain_walk(single);
			assert_true(chain_is_whole());
			without = walk->reads;
			assert_true(without > 20);
			while (fault_at(nth, count, single, garbage))
				nth++;
			/* Every read that is made without faults was made to fail. */
			assert_true(nth > without);
			assert_true(chain_is_whole());
		}
}

/* One fault in a block: the stack is the same. Proof that single reads take over. */
TEST(test_block_fault_is_made_up_for)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		chain_begin(forge_minors[v], v);
		chain_push_root();
		while (chain.count < 1200)
			chain_push(PUSH_STACK, 112);
		for (__u64 nth = 1; nth <= 8; nth++) {
			/* 3.12 and later: the root is on the C stack, and its read the last one. */
			assert_true(fault_at(nth, 1, false, 0));
			assert_int_equal(walk->end, WALK_ROOT);
			assert_true(chain_is_whole());
		}
	}
}

AROUND_ALL(chain_setup, chain_teardown);
