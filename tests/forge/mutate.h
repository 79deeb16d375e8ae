/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mutate.h - a forged thread that goes on running: calls, returns, unwinding, generators that other callers
 * resume, chunks that come and go, two stacks that take turns. Few code objects, few instructions and few
 * frame sizes, so that the same words come back at the same addresses as often as can be. After chain.h.
 */
#ifndef PYPERF_TESTS_MUTATE_H
#define PYPERF_TESTS_MUTATE_H

#include "tests/forge/chain.h"

#define MUTATE_CODES	  12
#define MUTATE_SIZES	  3 /* so that four codes have frames of one size */
#define MUTATE_INSTRS	  4
#define MUTATE_GENERATORS 700
#define MUTATE_SLOTS	  48 /* places for chunks, of both stacks */
#define MUTATE_SLOT	  (256ULL << 10)
#define MUTATE_LIMIT	  160 /* of a stack that takes turns with another */

/* What a push changed besides the frame itself. */
struct mutate_place {
	__u64 chunk, chunk_size, top, stack;
	__u32 generator; /* number plus one, 0 = none */
	__u32 slot;	 /* of the chunk that was opened for it, plus one */
};

struct mutate_stack {
	struct chain_link links[CHAIN_MAX];
	struct mutate_place places[CHAIN_MAX];
	__u64 chunk, chunk_size, top, stack;
	__u32 count, python;
};

static struct {
	struct mutate_place places[CHAIN_MAX];
	bool slots[MUTATE_SLOTS];	     /* in use */
	bool running[MUTATE_GENERATORS];     /* on a stack */
	__u32 generators[MUTATE_GENERATORS]; /* their code numbers */
	struct mutate_stack other;	     /* the one that waits */
	bool unmaps; /* chunks leave memory when they are empty, as in 3.11 and 3.12 */
} mutate;

static inline __u64 mutate_random(__u64 low, __u64 high)
{
	return forge_between(&chain.random, low, high);
}

static inline __u32 mutate_size(__u32 code)
{
	return 96 + code % MUTATE_SIZES * 32;
}

static inline __u64 mutate_code(__u32 code)
{
	return CODES_AT + code * 1024;
}

static inline __u64 mutate_instr(__u64 code)
{
	return code + chain.l.code_bytecode + mutate_random(0, MUTATE_INSTRS - 1) * 2;
}

static inline void mutate_begin(__u32 minor, __u64 seed)
{
	chain_begin(minor, seed);
	memset(mutate.slots, 0, sizeof(mutate.slots));
	memset(mutate.running, 0, sizeof(mutate.running));
	mutate.other.count = 0;
	mutate.unmaps = forge_random(&chain.random) & 1;
	for (__u32 i = 0; i < MUTATE_GENERATORS; i++)
		mutate.generators[i] = mutate_random(0, MUTATE_CODES - 1);
}

/* The word that links frame i to its caller, written with the rest of it. */
static inline void mutate_put(__u32 i)
{
	chain_put(&chain.links[i], i ? chain.links[i - 1].address : 0);
}

static inline void mutate_hide_chunk(__u64 chunk, __u64 size, bool hidden)
{
	for (__u64 at = 0; at < size; at += SPARSE_PAGE)
		if (sparse_find(chunk + at)->address)
			sparse_hide(chunk + at, hidden);
}

static inline void mutate_open_chunk(struct mutate_place *p, __u64 size)
{
	__u32 slot = mutate_random(0, MUTATE_SLOTS - 1);
	__u8 header[FORGE_CHUNK_HEADER];
	__u64 previous = chain.chunk;

	while (mutate.slots[slot])
		slot = (slot + 1) % MUTATE_SLOTS;
	mutate.slots[slot] = true;
	p->slot = slot + 1;
	chain.chunk = CHUNKS_AT + slot * MUTATE_SLOT;
	chain.chunk_size = CHUNK_SIZE;
	while (previous && chain.chunk_size < size + 8000)
		chain.chunk_size *= 2;
	mutate_hide_chunk(chain.chunk, MUTATE_SLOT, false);
	forge_chunk(header, previous, chain.chunk_size);
	sparse_write(chain.chunk, header, sizeof(header));
	chain.top = chain.chunk + sizeof(header) + (previous ? 0 : 8);
}

static inline __u64 mutate_allocate(enum push kind, struct mutate_place *p, __u64 size)
{
	if (kind == PUSH_HEAP)
		return HEAP_AT + (p->generator - 1) * 256ULL;
	if (kind == PUSH_SHIM)
		return chain.stack -= 96 + mutate_random(0, 1) * 32;
	if (!chain.chunk || chain.top + size > chain.chunk + chain.chunk_size)
		mutate_open_chunk(p, size);
	chain.top += size;
	return chain.top - size;
}

/* A generator that is not running, plus one; 0 if they all are. */
static inline __u32 mutate_generator(void)
{
	__u32 from = mutate_random(0, MUTATE_GENERATORS - 1);

	if (mutate_random(0, 3)) /* mostly the same few */
		from %= 5;
	for (__u32 i = 0; i < MUTATE_GENERATORS; i++)
		if (!mutate.running[(from + i) % MUTATE_GENERATORS])
			return (from + i) % MUTATE_GENERATORS + 1;
	return 0;
}

/* Calls code (number), or resumes generator (number plus one) when that is not 0. size 0: the code's own. */
static inline void mutate_push_as(enum push kind, __u32 code, __u32 generator, __u64 size)
{
	const bool entry = kind == PUSH_SHIM && !chain_has_shims(), shim = kind == PUSH_SHIM && !entry;
	struct mutate_place *p = &mutate.places[chain.count];
	struct chain_link *f = &chain.links[chain.count];

	if (chain.count == CHAIN_MAX)
		abort();
	*p = (struct mutate_place){ chain.chunk, chain.chunk_size, chain.top, chain.stack, generator, 0 };
	if (generator)
		mutate.running[generator - 1] = true;
	f->address = mutate_allocate(entry ? PUSH_STACK : kind, p, size ? size : mutate_size(code));
	for (__u64 at = 0; at < size; at += SPARSE_PAGE)
		sparse_map(f->address + at);
	f->python = !shim;
	f->is_entry = entry;
	f->owner = shim ? chain.l.owner_shim : generator ? OWNED_BY_GENERATOR : mutate_random(0, 1) * 2;
	f->code = shim ? forge_random(&chain.random) : mutate_code(code);
	f->instr = shim ? forge_random(&chain.random) : mutate_instr(f->code);
	chain.count++;
	chain.python += f->python;
	mutate_put(chain.count - 1);
}

static inline void mutate_push(enum push kind)
{
	__u32 code = mutate_random(0, MUTATE_CODES - 1), generator = 0;

	if (kind == PUSH_HEAP) {
		generator = mutate_generator();
		if (!generator)
			return;
		code = mutate.generators[generator - 1];
	}
	mutate_push_as(kind, code, generator, 0);
}

static inline void mutate_push_root(void)
{
	chain.stack = STACK_AT;
	mutate_push(PUSH_SHIM);
	chain.links[0].owner = chain_has_shims() ? chain.l.owner_shim : OWNED_BY_THREAD;
	mutate_put(0);
}

/* Returns from frames until count are left; what they were stays in memory. */
static inline void mutate_pop_to(__u32 count)
{
	while (chain.count > count) {
		const struct mutate_place *p = &mutate.places[--chain.count];

		chain.python -= chain.links[chain.count].python;
		if (p->generator)
			mutate.running[p->generator - 1] = false;
		if (p->slot) {
			mutate.slots[p->slot - 1] = false;
			if (mutate.unmaps)
				mutate_hide_chunk(chain.chunk, chain.chunk_size, true);
		}
		chain.chunk = p->chunk;
		chain.chunk_size = p->chunk_size;
		chain.top = p->top;
		chain.stack = p->stack;
	}
}

/* Calls what was called before, from frame `from` of the `count` in old, on whatever stands below now. */
static inline void mutate_replay(const struct chain_link *old, const struct mutate_place *places, __u32 from,
				 __u32 count)
{
	for (__u32 i = from; i < count; i++) {
		__u32 generator = places[i].generator, code = (old[i].code - CODES_AT) / 1024 % MUTATE_CODES;
		__u64 instr = old[i].instr;

		if (generator && mutate.running[generator - 1])
			continue;
		mutate_push_as(generator			   ? PUSH_HEAP
			       : !old[i].python || old[i].is_entry ? PUSH_SHIM
								   : PUSH_STACK,
			       code, generator, 0);
		if (chain.links[chain.count - 1].code == old[i].code) {
			chain.links[chain.count - 1].instr = instr;
			mutate_put(chain.count - 1);
		}
	}
}

static inline void mutate_swap_words(__u64 *a, __u64 *b)
{
	__u64 c = *a;

	*a = *b;
	*b = c;
}

/*
 * greenlet: another stack of calls on the same thread, with chunks of its own, on the same piece of C stack.
 */
static inline void mutate_switch(void)
{
	struct mutate_stack *o = &mutate.other;
	__u32 count = chain.count, python = chain.python;

	for (__u32 i = 0; i < count || i < o->count; i++) {
		struct chain_link f = chain.links[i];
		struct mutate_place p = mutate.places[i];

		chain.links[i] = o->links[i];
		mutate.places[i] = o->places[i];
		o->links[i] = f;
		o->places[i] = p;
	}
	mutate_swap_words(&chain.chunk, &o->chunk);
	mutate_swap_words(&chain.chunk_size, &o->chunk_size);
	mutate_swap_words(&chain.top, &o->top);
	mutate_swap_words(&chain.stack, &o->stack);
	chain.count = o->count;
	chain.python = o->python;
	o->count = count;
	o->python = python;
	if (!chain.count) {
		chain.chunk = chain.chunk_size = chain.top = 0;
		mutate_push_root();
	}
	for (__u32 i = 0; i < chain.count; i++)
		mutate_put(i);
}

/* --- changes ------------------------------------------------------------------------------------------- */

static struct chain_link old_links[CHAIN_MAX];
static struct mutate_place old_places[CHAIN_MAX];

static inline void change_instr(__u32 at)
{
	chain.links[at].instr = mutate_instr(chain.links[at].code);
	mutate_put(at);
}

/* Another function with a frame of the same size, called from the same place, calls the same. */
static inline void change_code(__u32 at)
{
	__u32 code = (chain.links[at].code - CODES_AT) / 1024;

	if (!chain.links[at].python || mutate.places[at].generator)
		return;
	code = (code + MUTATE_SIZES * mutate_random(1, MUTATE_CODES / MUTATE_SIZES - 1)) % MUTATE_CODES;
	chain.links[at].code = mutate_code(code);
	change_instr(at);
}

/* Returns down to frame `at`, calls a few others, and from there on what was called before. */
static inline void call_again(__u32 at, __u32 others)
{
	const __u32 depth = chain.count;

	memcpy(old_links, chain.links, depth * sizeof(old_links[0]));
	memcpy(old_places, mutate.places, depth * sizeof(old_places[0]));
	mutate_pop_to(at);
	while (others--)
		mutate_push(mutate_random(0, 3) ? PUSH_STACK : PUSH_HEAP);
	mutate_replay(old_links, old_places, at, depth);
}

static inline void call(__u32 calls)
{
	while (calls--)
		switch (mutate_random(0, 9)) {
		case 0:
			mutate_push(PUSH_SHIM); /* C code calls */
			mutate_push(PUSH_STACK);
			break;
		case 1:
		case 2:
			mutate_push(PUSH_HEAP);
			break;
		case 3:
			if (!mutate_random(0, 5))
				mutate_push_as(PUSH_STACK, 0, 0, mutate_random(1000, 20000) & ~7ULL);
			break;
		default:
			mutate_push(PUSH_STACK);
		}
}

static inline void change(__u32 most)
{
	const __u32 depth = chain.count, any = mutate_random(1, depth - 1);

	switch (mutate_random(0, 11)) {
	case 0:
		break;
	case 1:
	case 2:
		change_instr(depth - 1);
		break;
	case 3:
		change_instr(any);
		break;
	case 4:
		change_code(any);
		break;
	case 5:
		change_code(any);
		change_code(mutate_random(1, depth - 1));
		break;
	case 6:
		call_again(any, mutate_random(0, 2));
		break;
	case 7:
		mutate_pop_to(any); /* an exception */
		mutate_push(PUSH_STACK);
		break;
	case 8:
		if (most <= MUTATE_LIMIT)
			mutate_switch();
		break;
	default:
		mutate_pop_to(depth > 4 ? depth - mutate_random(0, 3) : depth);
		call(mutate_random(0, 4));
	}
	if (chain.count > most)
		mutate_pop_to(most / 2 + 2);
	while (chain.count < 3)
		call(1);
}

#endif
