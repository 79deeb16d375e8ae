/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache.h - the walk that uses the thread's last stack. New frames are walked from the leaf until one stands
 * where a cached one stood. From there on every frame, down to the root, is compared in place with its copy:
 * address, code, instruction, caller. Only when the whole rest is equal is its node taken. Two callers with
 * frames of equal size look alike one level up, so nothing less proves it.
 *
 * The thread is stopped, so its memory is one snapshot, and what is equal word by word to the cached stack is
 * what a full walk would have found. The cache saves the interning, and reads that follow one pointer at a
 * time.
 */
#ifndef PYPERF_BPF_PYTHON_CACHE_H
#define PYPERF_BPF_PYTHON_CACHE_H

#include "bpf/data/cache.h"
#include "bpf/python/walk.h"

/* What one step of the walk does at most; the verifier unrolls it. */
#define SEEK_FRAMES   8	 /* cached frames looked at */
#define FLUSH_FRAMES  16 /* frames copied */
#define VERIFY_FRAMES 32 /* frames compared */

static __always_inline struct cached *cache_at(struct cache *k, __u32 index)
{
	mem_opaque(index);
	return &k->frames[index & (CACHE_DEPTH - 1)];
}

/*
 * The address of the newest shim among the first depth frames, by which the interpreter's loop was entered
 * for the last of them; 0 = there is none.
 */
static __always_inline __u64 cache_shim(struct cache *k, __u32 depth)
{
	__u32 at = depth - 1;

	for (int i = 0; i <= CACHE_DEPTH / SHIM_FAR; i++) {
		const struct cached *c = cache_at(k, at);

		if (!c->code)
			return c->address;
		if (!c->above)
			return 0;
		at -= c->above;
	}
	return 0;
}

/* Makes f, whose stack leads to node, the frame at index. Its caller, at index - 1, is there already. */
static __always_inline void cache_remember(struct cache *k, __u32 index, const struct frame *f, __u32 node)
{
	struct cached *c;
	__u16 python = 0;
	__u8 above = 0;

	if (index >= CACHE_DEPTH)
		return;
	if (index) {
		python = cache_at(k, index - 1)->python;
		above = cache_at(k, index - 1)->above + 1;
	}
	c = cache_at(k, index);
	c->address = frame_address(f);
	c->code = f->code;
	c->instr = f->instr;
	c->node = node;
	c->python = python + (f->code != 0);
	c->plain = !(f->address & FRAME_SINGLE);
	c->above = !f->code ? 0 : above < SHIM_FAR ? above : SHIM_FAR;
}

/* From now on the first depth frames, but limit at most, are the thread's last stack. */
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

/* Looks at one frame, from the leaf on. Returns 0 to go on, 1 to stop. */
static long cache_search_step(__u32 i, struct cache_search *c)
{
	const __u32 at = c->depth - 1 - i;

	c->found = cache_at(c->k, at)->address == c->address;
	if (c->found)
		c->k->hint = at;
	return c->found;
}

/* Whether one of the first depth frames is at this address. Mostly that is the one that was found last. */
static __always_inline int cache_has(struct cache *k, __u32 depth, __u64 address)
{
	struct cache_search c = { k, address, depth, 0 };

	if (k->hint < depth && cache_at(k, k->hint)->address == address)
		return 1;
	if (depth > CACHE_DEPTH)
		return 0;
	bpf_loop(depth, cache_search_step, &c, 0);
	return c.found;
}

/* The data-stack chunk of the frame at w->next, if it is known; else an address near which no frame is. */
static __always_inline __u64 cache_chunk(const struct walk *w)
{
	if (w->next - w->chunk.now < CHUNK_SIZE)
		return w->chunk.now;
	return w->next - w->chunk.older < CHUNK_SIZE ? w->chunk.older : ~0ULL;
}

/*
 * Whether a cached frame stands at w->next. Cached frames that cannot be among its callers are left behind:
 * within a chunk, a frame has a lower address than what it calls. Of frames in other chunks, which lie
 * anywhere, nothing is known. w->resume becomes the place where the next cached frame may be met.
 */
static __always_inline int cache_seek(struct walk *w, struct cache *k)
{
	const __u64 next = w->next, chunk = cache_chunk(w);
	__u32 left = w->cached.left;

	w->resume = 0;
	for (int i = 0; i < SEEK_FRAMES && left; i++) {
		const struct cached *c = cache_at(k, left - 1);

		if (c->address == next) {
			w->cached.left = left;
			return 1;
		}
		left--;
		if (c->address - chunk >= CHUNK_SIZE)
			continue;
		w->resume = c->address;
		if (c->address < next)
			break;
		w->cached.left = left;
	}
	return 0;
}

/*
 * The frame at cached.left - 1 differs from its copy. So the frames of the run, which were equal, stand on
 * other callers now, and their nodes are of no use: the run is to be flushed, and the walk goes on at the
 * frame that differs.
 */
static __always_inline void cache_differs(struct walk *w, struct cache *k, __u32 left)
{
	w->next = cache_at(k, left - 1)->address;
	w->cached.flush = w->cached.run;
	w->cached.left = left - 1;
	w->cached.run = 0;
}

/*
 * Copies frames of a run that ended before the root behind the new frames: they are where they were. Not 0
 * when that was all, or as many as there may be. A global function: Linux 7.2's verifier looks at
 * 300,000 instructions more where it is a part of the loop.
 */
WALK_GLOBAL int cache_flush(struct walk *w, struct cache *k)
{
	__u32 from, to, depth, python = 0;

	if (!w || !k)
		return 1;
	from = w->cached.flush;
	to = w->cached.left + 1;
	depth = w->depth;
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
	w->cached.flush = from > to ? from : 0;
	w->depth = depth;
	w->python += python;
	return !w->cached.flush || w->end == WALK_DEEP;
}

/*
 * Compares the frames of one block with their copies, but not the oldest frame of all, whose caller is not
 * cached. Who owns them is not compared: shims lie on the C stack (3.12-3.14), so a frame of the data stack
 * never becomes one.
 */
static __always_inline void cache_verify_block(struct walk *w, struct cache *k, const struct layout *l)
{
	const __u32 off_code = l->frame_code, off_previous = l->frame_previous, off_instr = l->frame_instr;
	const __u64 tag = l->pointer_tag, start = w->block.address, limit = w->block.size - FRAME_READ;
	__u32 left = w->cached.left;
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
		differs = ((walk_load(f + off_code) & ~tag) ^ c->code) |
			  (walk_load(f + off_instr) ^ c->instr) | (walk_load(f + off_previous) ^ address);
		if (differs) {
			cache_differs(w, k, left);
			return;
		}
		c = older;
		left--;
	}
	w->cached.left = left;
	w->next = address;
}

/*
 * Compares one frame that needs a read of its own, or a look at who owns it: a generator's, a shim, the
 * oldest.
 */
static __always_inline void cache_verify_single(struct walk *w, struct cache *k, const struct layout *l)
{
	const __u32 left = w->cached.left, oldest = left < 2;
	const struct cached *c = cache_at(k, left - 1);
	__u64 at = SINGLE_AT, code, instr, previous, caller;
	const __u8 *f;
	__u32 owner;

	if (walk_in_block(w))
		at = w->next - w->block.address + BLOCK_AT;
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
	w->cached.left = left - 1;
	w->last = w->next;
	w->next = previous;
	if (oldest)
		w->end = WALK_ROOT;
}

/*
 * Copies, compares or walks on, whichever is next. A walk goes on being compared as long as cached.run is
 * set, else from the first frame that stands where a cached one stood. Returns 0 to go on, 1 to stop.
 */
static __always_inline int cache_step(struct walk *w, struct cache *k, const struct layout *l)
{
	if (walk_step_late(w))
		return 1;
	if (w->cached.flush) {
		cache_flush(w, k);
		return w->end != WALK_ON;
	}
	if (w->cached.left && (w->cached.run || cache_seek(w, k))) {
		const struct cached *c = cache_at(k, w->cached.left - 1);

		if (!w->cached.run)
			w->cached.run = w->cached.left;
		if (c->plain && w->cached.left > 1 && walk_have_block(w))
			cache_verify_block(w, k, l);
		else
			cache_verify_single(w, k, l);
		return w->end != WALK_ON;
	}
	if (!w->cached.left)
		w->resume = 0;
	return walk_stops(w, l);
}

struct cache_context {
	struct walk *w;
	struct cache *k;
	const struct layout *l;
};

static long cache_callback(__u32 i, struct cache_context *c)
{
	(void)i;
	return cache_step(c->w, c->k, c->l);
}

/*
 * Walks with the cache after walk_begin(), with keep_shims. Afterwards the stack is frames[0..depth), leaf
 * first, on top of the first w->cached.run cached frames.
 */
WALK_GLOBAL int cache_run(struct walk *w, struct cache *k, const struct layout *l)
{
	struct cache_context c = { w, k, l };

	if (!w || !k || !l)
		return -1;
	w->cached.run = 0;
	w->cached.flush = 0;
	if (w->end != WALK_ON)
		return 0;
	w->cached.left = k->depth;
	bpf_loop(walk_steps(w), cache_callback, &c, 0);
	return 0;
}

#endif
