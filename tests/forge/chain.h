/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain.h - chains of frames forged as CPython lays them out (data-stack chunks, generators on the heap,
 * entry frames on the C stack) in sparse memory, a naive walk to compare with, and the walk under test on the
 * host.
 */
#ifndef PYPERF_TESTS_CHAIN_H
#define PYPERF_TESTS_CHAIN_H

#include "base/cleanup.h"
#include "tests/forge/forge.h"
#include "tests/forge/sparse.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#include "bpf/python/walk.h"

#define CHAIN_MAX 6000

/*
 * Every word of forged memory that is not set points to a frame that looks whole: whoever parses the wrong
 * bytes returns this frame, or itself, as one of the chain.
 */
#define DECOY	   0x0000000200001000ULL
#define DECOY_CODE 0x0000000200002000ULL

#define CHUNKS_AT 0x00007f3400000000ULL
#define HEAP_AT	  0x00005634ab000000ULL
#define STACK_AT  0x00007ffd10000000ULL
#define CODES_AT  0x00007f9900000000ULL

enum push { PUSH_STACK, PUSH_HEAP, PUSH_SHIM };

struct chain_link {
	__u64 address, code, instr;
	__u8 owner, is_entry;
	bool python;
};

static struct chain {
	struct layout l;
	struct chain_link links[CHAIN_MAX]; /* root first */
	__u32 count, python;
	__u64 chunk, chunk_size, top; /* newest data-stack chunk, and its first free byte */
	__u64 low, high;	      /* chunks are in between */
	__u64 heap, stack;	      /* next free address */
	__u64 random;
	bool holes; /* pages that a large frame never wrote to are not there */
} chain;

static struct walk *walk; /* on the heap, so that the sanitizer sees its ends */

static inline int chain_setup(void **state)
{
	(void)state;
	walk = malloc(sizeof(*walk));
	return walk ? 0 : -1;
}

static inline int chain_teardown(void **state)
{
	(void)state;
	free(walk);
	return 0;
}

static inline void chain_put(const struct chain_link *f, __u64 previous)
{
	__u8 bytes[FRAME_READ];
	struct forge_frame frame = {
		.code = f->code,
		.previous = previous,
		.instr = f->instr,
		.owner = f->owner,
		.is_entry = f->is_entry,
	};

	sparse_copy(f->address, bytes, sizeof(bytes), false);
	if (f->python) /* 3.14: references carry tag bits */
		frame.code |= forge_random(&chain.random) & chain.l.pointer_tag;
	forge_frame(bytes, &chain.l, &frame);
	sparse_write(f->address, bytes, sizeof(bytes));
}

/* Calls through C stand on the C stack (3.12+). */
static inline bool chain_has_shims(void)
{
	return chain.l.root_rule == ROOT_SHIM || chain.l.root_rule == ROOT_BASE;
}

/* Where the thread state says that the chain begins (3.15). */
static inline __u64 chain_base(void)
{
	return chain.l.root_rule == ROOT_BASE ? chain.links[0].address : 0;
}

static inline void chain_begin(__u32 minor, __u64 seed)
{
	__u8 decoy[FRAME_READ] = {};
	struct forge_frame f = { .code = DECOY_CODE, .is_entry = 1 };

	sparse_reset(DECOY);
	chain.l = forge_layout(minor);
	chain.count = chain.python = 0;
	chain.chunk = chain.chunk_size = chain.top = 0;
	chain.low = chain.high = CHUNKS_AT;
	chain.heap = HEAP_AT;
	chain.stack = STACK_AT;
	chain.random = seed;
	f.owner = chain_has_shims() ? chain.l.owner_shim : OWNED_BY_THREAD;
	forge_frame(decoy, &chain.l, &f);
	sparse_write(DECOY, decoy, sizeof(decoy));
}

/* push_chunk() in Python/pystate.c: 16 KiB, doubled until the frame and 1000 words fit. */
static inline void chain_new_chunk(__u64 size)
{
	__u64 previous = chain.chunk, gap = forge_between(&chain.random, 0, 2) * SPARSE_PAGE;
	__u8 header[FORGE_CHUNK_HEADER];

	chain.chunk_size = CHUNK_SIZE;
	while (previous && chain.chunk_size < size + 8000)
		chain.chunk_size *= 2;
	if (forge_random(&chain.random) & 1) {
		chain.chunk = chain.high + gap;
		chain.high = chain.chunk + chain.chunk_size;
	} else {
		chain.chunk = chain.low -= gap + chain.chunk_size;
	}
	forge_chunk(header, previous, chain.chunk_size);
	sparse_write(chain.chunk, header, sizeof(header));
	chain.top = chain.chunk + sizeof(header) + (previous ? 0 : 8);
}

static inline __u64 chain_allocate(enum push kind, __u64 size)
{
	__u64 at;

	switch (kind) {
	case PUSH_STACK:
		if (!chain.chunk || chain.top + size > chain.chunk + chain.chunk_size)
			chain_new_chunk(size);
		at = chain.top;
		chain.top += size;
		return at;
	case PUSH_HEAP:
		at = chain.heap;
		chain.heap += size + forge_between(&chain.random, 0, 600) * 8;
		return at;
	default:
		chain.stack -= size + forge_between(&chain.random, 0, 100) * 8;
		return chain.stack;
	}
}

/* Calls a frame of `size` bytes. 3.11 has no frames on the C stack: there PUSH_SHIM sets is_entry. */
static inline void chain_push(enum push kind, __u64 size)
{
	bool entry = kind == PUSH_SHIM && !chain_has_shims(), shim = kind == PUSH_SHIM && !entry;
	struct chain_link *f = &chain.links[chain.count];

	if (chain.count == CHAIN_MAX)
		abort();
	f->address = chain_allocate(entry ? PUSH_STACK : kind, size);
	for (__u64 at = 0; !chain.holes && at < size; at += SPARSE_PAGE)
		sparse_map(f->address + at);
	if (!chain.holes)
		sparse_map(f->address + size - 1);
	f->python = !shim;
	f->is_entry = entry;
	f->owner = kind == PUSH_HEAP ? OWNED_BY_GENERATOR : forge_random(&chain.random) & 2;
	f->code = CODES_AT + chain.count * 4096 + forge_between(&chain.random, 0, 255) * 8;
	f->instr = f->code + chain.l.code_bytecode + forge_between(&chain.random, 0, 500) * 2;
	if (shim) {
		f->owner = chain.l.owner_shim;
		f->code = forge_random(&chain.random); /* None, or whatever: it is not looked at */
	}
	chain_put(f, chain.count ? f[-1].address : 0);
	chain.count++;
	chain.python += f->python;
}

/* What every thread's chain begins with. */
static inline void chain_push_root(void)
{
	chain_push(PUSH_SHIM, 80 + forge_between(&chain.random, 0, 20) * 8);
	chain.links[0].owner = chain_has_shims() ? chain.l.owner_shim : OWNED_BY_THREAD;
	chain_put(&chain.links[0], 0);
}

/* `python` frames of an ordinary program, with generators and calls from C in between. */
static inline void chain_random(__u32 minor, __u64 seed, __u32 python)
{
	__u64 *r = &chain.random;
	__u32 generators, shims, large;

	chain_begin(minor, seed);
	generators = forge_random(r) & 1 ? forge_between(r, 0, 40) : 0;
	shims = forge_random(r) & 1 ? forge_between(r, 0, 30) : 0;
	large = forge_random(r) & 1 ? 2 : 0;
	chain_push_root();
	while (chain.python < python) {
		__u32 what = forge_between(r, 0, 99), most = forge_between(r, 0, 99) < large ? 2500 : 40;

		chain_push(what < generators	       ? PUSH_HEAP
			   : what < generators + shims ? PUSH_SHIM
						       : PUSH_STACK,
			   80 + forge_between(r, 0, most) * 8);
	}
}

static inline __u64 chain_leaf(void)
{
	return chain.links[chain.count - 1].address;
}

/* Walks from any frame and chunk, into a struct that held other things before. */
static inline void chain_walk_from(__u64 leaf, __u64 chunk, bool single, __u32 max_depth)
{
	memset(walk, 0x5a, sizeof(*walk));
	walk->single = single;
	walk->max_depth = max_depth;
	walk->reads = walk->read_bytes = walk->faults = 0;
	walk_from(walk, &chain.l, leaf, chunk);
}

static inline void chain_walk(bool single)
{
	chain_walk_from(chain_leaf(), chain.chunk, single, 2000);
}

/* Whether the walk's frames are the first of the forged chain, from the leaf on. */
static inline bool chain_is_prefix(void)
{
	__u32 i = chain.count, depth = 0;

	while (depth < walk->depth) {
		const struct frame *f = &walk->frames[depth];

		while (i && !chain.links[i - 1].python)
			i--;
		if (!i--)
			return false;
		if (f->address != chain.links[i].address || f->code != chain.links[i].code ||
		    f->instr != chain.links[i].instr)
			return false;
		depth++;
	}
	return true;
}

static inline bool chain_is_whole(void)
{
	return walk->depth == chain.python && chain_is_prefix() &&
	       walk_is_whole(walk, &chain.l, chain_base());
}

/* --- a walk without any cleverness, to compare with ---------------------------------------------------- */

struct naive {
	struct frame frames[DEPTH_LIMIT];
	__u32 depth, end;
	__u64 last; /* frame, a shim too */
	__u8 last_owner, last_is_entry;
};

static inline bool naive_plausible(__u64 address)
{
	return address >= 4096 && address < 1ULL << ADDRESS_BITS && address % 8 == 0;
}

/* One frame; false at the end. */
static inline bool naive_step(struct naive *n, __u64 *address, __u32 max_depth)
{
	__u64 code, previous, instr;
	__u8 bytes[FRAME_READ];
	bool python;

	n->end = WALK_FAULT;
	if (!sparse_peek(bytes, sizeof(bytes), *address))
		return false;
	memcpy(&code, bytes + chain.l.frame_code, 8);
	memcpy(&previous, bytes + chain.l.frame_previous, 8);
	memcpy(&instr, bytes + chain.l.frame_instr, 8);
	n->last_owner = bytes[chain.l.frame_owner];
	n->last_is_entry = bytes[chain.l.frame_is_entry];
	n->last = *address;
	python = n->last_owner < chain.l.owner_shim;
	code -= code & chain.l.pointer_tag;
	n->end = WALK_BAD;
	if (python && !naive_plausible(code))
		return false;
	n->end = WALK_DEEP;
	if (python && n->depth == max_depth)
		return false;
	if (python)
		n->frames[n->depth++] = (struct frame){ *address, code, instr };
	*address = previous;
	n->end = previous ? WALK_BAD : WALK_ROOT;
	return naive_plausible(previous);
}

static inline void naive_walk(struct naive *n, __u64 address, __u32 max_depth)
{
	n->depth = 0;
	n->last = n->last_owner = n->last_is_entry = 0;
	n->end = address ? WALK_BAD : WALK_ROOT;
	if (!naive_plausible(address))
		return;
	for (int i = 0; i < 100000; i++)
		if (!naive_step(n, &address, max_depth))
			return;
	n->end = WALK_ON;
}

static inline bool naive_agrees(const struct naive *n)
{
	const __u32 kept = n->depth < LATE_DEPTH ? n->depth : LATE_DEPTH;

	if (n->end == WALK_ON) /* a ring */
		return walk->end == WALK_LATE && walk->depth == kept &&
		       !memcmp(walk->frames, n->frames, walk->depth * sizeof(n->frames[0]));
	return walk->depth == n->depth && walk->end == n->end &&
	       !memcmp(walk->frames, n->frames, n->depth * sizeof(n->frames[0])) &&
	       (n->end != WALK_ROOT ||
		(walk->last_owner == n->last_owner && walk->last_is_entry == n->last_is_entry));
}

#endif
