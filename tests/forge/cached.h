/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cached.h - the cached walk on the host, as the sampler uses it, beside a naive walk: each sample() asserts
 * that frames, node and what is remembered are those of the naive walk.
 */
#ifndef PYPERF_TESTS_CACHED_H
#define PYPERF_TESTS_CACHED_H

#include "tests/forge/mutate.h"
#include "tests/forge/test.h"
#include "bpf/python/cache.h"

#define MAX_DEPTH 2000
#define ROOT_NODE 1

static struct naive naive;
static struct cache *cache;	  /* on the heap, so that the sanitizer sees its ends */
static __u32 limit = CACHE_DEPTH; /* --cache-depth */
static __u32 max_depth = MAX_DEPTH;
static struct {
	__u64 stacks, full, partial, miss, refused, from_cache;
} seen;

/* --- the sampler's part (sampler.h: walk_cached), with a hash of the path for a node ------------------- */

static inline __u32 intern(__u32 parent, const struct frame *f)
{
	__u64 state = parent ^ f->code * 31 ^ f->instr << 20;

	if (!f->code)
		return parent;
	return forge_random(&state) | 2;
}

static inline bool naive_is_whole(void)
{
	if (naive.end != WALK_ROOT)
		return false;
	if (chain.l.root_rule == ROOT_ENTRY)
		return naive.last_is_entry && naive.last_owner != OWNED_BY_GENERATOR;
	if (chain.l.root_rule == ROOT_BASE)
		return naive.last == chain_base() || naive.last_owner >= chain.l.owner_shim;
	return naive.last_owner >= chain.l.owner_shim;
}

/* Walks; true for a whole stack, frames[0..depth) on top of the cache's first walk->cached.run. */
static inline bool walk_with_cache(__u64 leaf, bool single)
{
	const struct cached *c;

	memset(walk, 0x5a, offsetof(struct walk, frames) + 64 * sizeof(walk->frames[0]));
	walk->single = single;
	walk->max_depth = max_depth;
	walk->reads = walk->read_bytes = walk->faults = 0;
	walk->keep_shims = 1;
	walk_begin(walk, leaf, chain.chunk);
	assert_int_equal(cache_run(walk, cache, &chain.l), 0);
	assert_true(walk->cached.run <= cache->depth);
	c = walk->cached.run ? cache_at(cache, walk->cached.run - 1) : NULL;
	return walk_is_whole(walk, &chain.l, chain_base()) && (c ? c->python : 0) + walk->python <= max_depth;
}

/* Interns the new frames and keeps them, but for those from number `forget` on. Returns the leaf's node. */
static inline __u32 remember(__u32 forget)
{
	__u32 node = walk->cached.run ? cache_at(cache, walk->cached.run - 1)->node : ROOT_NODE, kept = 0;

	for (__u32 i = 0; i < walk->depth; i++) {
		const struct frame *f = &walk->frames[walk->depth - 1 - i];

		node = intern(node, f);
		if (i >= forget)
			continue;
		cache_remember(cache, walk->cached.run + i, f, node);
		kept = i + 1;
	}
	cache_keep(cache, walk->cached.run + kept, limit);
	return node;
}

/* --- what must hold ------------------------------------------------------------------------------------ */

static inline bool is_frame(const struct frame *f, __u64 address, __u64 code, __u64 instr)
{
	return f->address == (address & ~(__u64)FRAME_SINGLE) && f->code == code && f->instr == instr;
}

/* The walk's own frames and those it took from the cache, against the naive walk's. */
static inline bool frames_agree(void)
{
	__u32 at = 0, python = 0;

	for (__u32 i = 0; i < walk->depth; i++) {
		const struct frame *f = &walk->frames[i];

		python += f->code != 0;
		if (f->code &&
		    (at >= naive.depth || !is_frame(&naive.frames[at++], f->address, f->code, f->instr)))
			return false;
	}
	for (__u32 i = walk->cached.run; i--;) {
		const struct cached *c = cache_at(cache, i);

		if (c->code &&
		    (at >= naive.depth || !is_frame(&naive.frames[at++], c->address, c->code, c->instr)))
			return false;
	}
	return at == naive.depth && python == walk->python;
}

static inline __u32 naive_node(void)
{
	__u32 node = ROOT_NODE;

	for (__u32 i = naive.depth; i--;)
		node = intern(node, &naive.frames[i]);
	return node;
}

/* What is remembered is the root side of the stack, each frame with its node and number of Python frames. */
static inline void cache_is_of_naive(void)
{
	__u32 node = ROOT_NODE, python = 0, depth = naive.depth;

	assert_true(cache->depth <= limit);
	for (__u32 i = 0; i < cache->depth; i++) {
		const struct cached *c = &cache->frames[i];

		if (c->code) {
			assert_true(depth > 0);
			assert_true(is_frame(&naive.frames[--depth], c->address, c->code, c->instr));
			node = intern(node, &naive.frames[depth]);
			python++;
		}
		assert_int_equal(c->node, node);
		assert_int_equal(c->python, python);
	}
}

/* Frames that lie on the data stack are known as such, as long as chunks are said to be where they are. */
static inline void cache_knows_places(void)
{
	for (__u32 i = 0; i < cache->depth; i++) {
		const struct cached *c = &cache->frames[i];

		if (c->plain)
			assert_true(c->address - CHUNKS_AT < MUTATE_SLOTS * MUTATE_SLOT);
	}
}

static inline void count(void)
{
	seen.stacks++;
	seen.full += walk->cached.run && !walk->depth && walk->cached.run == cache->depth;
	seen.partial += walk->cached.run && walk->depth;
	seen.miss += !walk->cached.run;
	seen.from_cache += walk->cached.run;
}

static inline void print_seen(void)
{
	printf("%llu stacks: %llu full hits, %llu partial, %llu misses; %llu frames from the cache; %llu "
	       "refused\n",
	       (unsigned long long)seen.stacks, (unsigned long long)seen.full,
	       (unsigned long long)seen.partial, (unsigned long long)seen.miss,
	       (unsigned long long)seen.from_cache, (unsigned long long)seen.refused);
}

/* One sample, as it must be whatever happened since the last. Returns whether it was whole. */
static inline bool sample(__u64 leaf, bool single, __u32 forget)
{
	const bool faulty = sparse.fail_from;
	bool whole = walk_with_cache(leaf, single);
	__u32 node;

	naive_walk(&naive, leaf, max_depth);
	if (!faulty || whole)
		assert_int_equal(whole, naive_is_whole());
	if (!whole) {
		cache->depth = 0;
		seen.refused++;
		return false;
	}
	assert_true(frames_agree());
	count();
	node = remember(forget);
	assert_int_equal(node, naive_node());
	cache_is_of_naive();
	return true;
}

static inline void sample_usual(bool single)
{
	/* Now and then a frame's names could not be sent yet: the walk remembers what is below it. */
	__u32 forget = mutate_random(0, 19) ? ~0U : mutate_random(0, 30);

	assert_true(sample(chain_leaf(), single, forget));
}

static inline int setup(void **state)
{
	cache = malloc(sizeof(*cache));
	return cache ? chain_setup(state) : -1;
}

static inline int teardown(void **state)
{
	print_seen();
	free(cache);
	return chain_teardown(state);
}

static inline void begin(__u32 minor, __u64 seed, __u32 calls)
{
	mutate_begin(minor, seed);
	mutate_push_root();
	mutate_push(PUSH_STACK);
	mutate_push(PUSH_STACK);
	call(calls);
	cache->depth = 0;
}

#endif
