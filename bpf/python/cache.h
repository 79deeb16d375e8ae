/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache.h - the walk that uses the thread's last stack. New frames are walked from the leaf until one stands
 * where a cached one stood. From there on every frame, down to the root, is compared in place with its copy:
 * address, code, instruction, caller. Only when the whole rest is equal is its node taken. Two callers with
 * frames of equal size look alike one level up, so nothing less proves it.
 *
 * The thread is stopped, so its memory is one snapshot, and what is equal word by word to the cached stack is
 * what a full walk would have found. The cache saves the interning and the chase along pointers.
 */
#ifndef PYPERF_BPF_PYTHON_CACHE_H
#define PYPERF_BPF_PYTHON_CACHE_H

#include "bpf/python/walk.h"

#define SEEK_FRAMES   8	 /* cached frames looked at in one step */
#define FLUSH_FRAMES  16 /* frames copied in one step */
#define VERIFY_FRAMES 32 /* frames compared in one step */

#define CACHE_DEPTH 1024 /* frames remembered of a thread, from the root; power of two */

/* A frame of a thread's last stack. Root first, so that an index stays when the leaf side changes. */
struct cached {
	__u64 address;
	__u64 code; /* 0 = shim */
	__u64 instr;
	__u32 node;   /* that the stack down to here leads to */
	__u16 python; /* Python frames down to here */
	__u16 plain;  /* lies on the data stack */
};

struct cache {
	__u64 tstate; /* the thread state it is of */
	__u64 epoch;  /* the code epoch in which its nodes were found */
	__u64 since;  /* jiffies when it was last empty */
	__u32 root;   /* the node they are below */
	__u32 depth;  /* of frames; 0 = nothing remembered */
	__u32 hint;   /* the frame that cache_has() found last */
	__u32 pad;
	struct cached frames[CACHE_DEPTH];
};

static __always_inline struct cached *cache_at(struct cache *k, __u32 index)
{
	mem_opaque(index);
	return &k->frames[index & (CACHE_DEPTH - 1)];
}

/* Makes f, whose stack leads to node, the frame at index; the one below it is there already. */
static __always_inline void cache_remember(struct cache *k, __u32 index, const struct frame *f, __u32 node)
{
	struct cached *c;
	__u16 python = 0;

	if (index >= CACHE_DEPTH)
		return;
	if (index)
		python = cache_at(k, index - 1)->python;
	c = cache_at(k, index);
	c->address = f->address & ~(__u64)FRAME_SINGLE;
	c->code = f->code;
	c->instr = f->instr;
	c->node = node;
	c->python = python + (f->code != 0);
	c->plain = !(f->address & FRAME_SINGLE);
}

/* The first depth frames are the thread's stack now, as far as there is room. */
static __always_inline void cache_keep(struct cache *k, __u32 depth, __u32 limit)
{
	k->depth = depth < limit ? depth : limit;
}

struct cache_search {
	struct cache *k;
	__u64 address;
	__u32 depth;
	__u32 found;
};

/* A step of a bounded loop: 0 to go on, 1 to stop. */
static long cache_search_step(__u32 i, struct cache_search *c)
{
	const __u32 at = c->depth - 1 - i;

	c->found = cache_at(c->k, at)->address == c->address;
	if (c->found)
		c->k->hint = at;
	return c->found;
}

/* Whether one of the first depth frames is at this address. Mostly it is the one that was found last. */
static __always_inline int cache_has(struct cache *k, __u32 depth, __u64 address)
{
	struct cache_search c = { k, address, depth, 0 };

	if (k->hint < depth && cache_at(k, k->hint)->address == address)
		return 1;
	if (depth > CACHE_DEPTH)
		return 0;
#ifdef PYPERF_HOST
	for (__u32 i = 0; i < depth && !cache_search_step(i, &c); i++)
		;
#else
	bpf_loop(depth, cache_search_step, &c, 0);
#endif
	return c.found;
}

/* The data-stack chunk of the frame at w->next, as far as it is known; else an address near which no frame is. */
static __always_inline __u64 cache_chunk(const struct walk *w)
{
	if (w->next - w->chunk < CHUNK_SIZE)
		return w->chunk;
	return w->next - w->older_chunk < CHUNK_SIZE ? w->older_chunk : ~0ULL;
}

/*
 * Whether a cached frame stands at w->next; moves w->left past those that cannot be below it: in one chunk,
 * frames have lower addresses than what they call. Of other chunks, which lie anywhere, nothing is known.
 */
static __always_inline int cache_seek(struct walk *w, struct cache *k)
{
	const __u64 next = w->next, chunk = cache_chunk(w);
	__u32 left = w->left;

	w->resume = 0;
	for (int i = 0; i < SEEK_FRAMES && left; i++) {
		const struct cached *c = cache_at(k, left - 1);

		if (c->address == next) {
			w->left = left;
			return 1;
		}
		left--;
		if (c->address - chunk >= CHUNK_SIZE)
			continue;
		w->resume = c->address;
		if (c->address < next)
			break;
		w->left = left;
	}
	return 0;
}

/* A frame differs from its copy: the frames above it, which were equal, stand on other callers now. */
static __always_inline void cache_differs(struct walk *w, struct cache *k, __u32 left)
{
	w->next = cache_at(k, left - 1)->address;
	w->flush = w->run;
	w->left = left - 1;
	w->run = 0;
}

/* Copies the run that proved too short to the new frames. */
static __always_inline void cache_flush(struct walk *w, struct cache *k)
{
	__u32 from = w->flush, depth = w->depth, python = 0;
	const __u32 to = w->left + 1;

	for (int i = 0; i < FLUSH_FRAMES && from > to; i++) {
		const struct cached *c;

		mem_opaque(depth);
		if (depth >= DEPTH_LIMIT) {
			w->end = WALK_DEEP;
			break;
		}
		from--;
		c = cache_at(k, from);
		w->frames[depth].address = c->address | (c->plain ? 0 : FRAME_SINGLE);
		w->frames[depth].code = c->code;
		w->frames[depth].instr = c->instr;
		python += c->code != 0;
		depth++;
	}
	w->flush = from > to ? from : 0;
	w->depth = depth;
	w->python += python;
}

/*
 * Compares frames of one block, but not the oldest of all, whose caller is not a cached frame. Who owns them is
 * not compared: entry frames lie on the C stack (3.12-3.14), so a frame of the data stack never becomes one.
 */
static __always_inline void cache_verify_block(struct walk *w, struct cache *k, const struct layout *l)
{
	const __u32 off_code = l->frame_code, off_previous = l->frame_previous, off_instr = l->frame_instr;
	const __u64 tag = l->pointer_tag, start = w->block, limit = w->block_size - FRAME_READ;
	__u32 left = w->left;
	const struct cached *c = cache_at(k, left - 1);
	__u64 address = c->address;

	for (int i = 0; i < VERIFY_FRAMES; i++) {
		__u64 at = address - start, differs;
		const struct cached *older;
		const __u8 *f;

		if (left < 2 || at > limit)
			break;
		mem_opaque(at);
		f = w->mem + BLOCK_AT + (at & (BLOCK_SIZE - 1));
		older = cache_at(k, left - 2);
		address = older->address;
		differs = ((walk_load(f + off_code) & ~tag) ^ c->code) | (walk_load(f + off_instr) ^ c->instr) |
			  (walk_load(f + off_previous) ^ address);
		if (differs) {
			cache_differs(w, k, left);
			return;
		}
		c = older;
		left--;
	}
	w->left = left;
	w->next = address;
}

/* Compares one frame that needs a read of its own, or a look at who owns it: generators, shims, the oldest. */
static __always_inline void cache_verify_single(struct walk *w, struct cache *k, const struct layout *l)
{
	const __u32 left = w->left, oldest = left < 2;
	const struct cached *c = cache_at(k, left - 1);
	__u64 at = SINGLE_AT, code, instr, previous, caller;
	const __u8 *f;
	__u32 owner;

	if (walk_in_block(w))
		at = w->next - w->block + BLOCK_AT;
	else if (walk_read_single(w, l)) {
		w->end = WALK_FAULT;
		return;
	}
	mem_opaque(at);
	f = w->mem + (at & (WALK_MEM - 1));
	owner = f[l->frame_owner];
	code = walk_load(f + l->frame_code) & ~(__u64)l->pointer_tag;
	instr = walk_load(f + l->frame_instr) & walk_instr_mask(l);
	previous = walk_load(f + l->frame_previous);
	caller = oldest ? 0 : cache_at(k, left - 2)->address;
	if (owner >= l->owner_shim) { /* only the way through it matters */
		code = 0;
		instr = c->instr;
	}
	if ((code ^ c->code) | (instr ^ c->instr) | (previous ^ caller)) {
		cache_differs(w, k, left);
		return;
	}
	w->last_owner = owner;
	w->last_is_entry = f[l->frame_is_entry];
	w->left = left - 1;
	w->last = w->next;
	w->next = previous;
	if (oldest)
		w->end = WALK_ROOT;
}

/* A step of a bounded loop: 0 to go on, 1 to stop. */
static __always_inline int cache_step(struct walk *w, struct cache *k, const struct layout *l)
{
	if (w->flush) {
		cache_flush(w, k);
		return w->end != WALK_ON;
	}
	if (w->left && (w->run || cache_seek(w, k))) {
		const struct cached *c = cache_at(k, w->left - 1);

		if (!w->run)
			w->run = w->left;
		if (c->plain && w->left > 1 && (walk_in_block(w) || (!walk_read_block(w) && walk_in_block(w))))
			cache_verify_block(w, k, l);
		else
			cache_verify_single(w, k, l);
		return w->end != WALK_ON;
	}
	if (!w->left)
		w->resume = 0;
	return walk_stops(w, l);
}

#ifdef PYPERF_HOST
static void cache_loop(struct walk *w, struct cache *k, const struct layout *l)
{
	for (__u32 i = 0; i < walk_steps(w); i++)
		if (cache_step(w, k, l))
			break;
}
#else
struct cache_context {
	struct walk *w;
	struct cache *k;
	const struct layout *l;
};

static long cache_callback(__u32 i, struct cache_context *c)
{
	return cache_step(c->w, c->k, c->l);
}

static __always_inline void cache_loop(struct walk *w, struct cache *k, const struct layout *l)
{
	struct cache_context c = { w, k, l };

	bpf_loop(walk_steps(w), cache_callback, &c, 0);
}
#endif

/*
 * Walks with the cache after walk_begin(). Afterwards the stack is frames[0..depth), leaf first, on top
 * of the first w->run cached frames.
 */
WALK_GLOBAL int cache_run(struct walk *w, struct cache *k, const struct layout *l)
{
	if (!w || !k || !l)
		return -1;
	w->run = 0;
	w->flush = 0;
	if (w->end != WALK_ON)
		return 0;
	w->left = k->depth;
	cache_loop(w, k, l);
	return 0;
}

#endif
