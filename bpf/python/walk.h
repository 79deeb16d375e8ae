/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk.h - the walk along a thread's Python frames, from the leaf to the interpreter's root. The same source
 * serves BPF and the host.
 *
 * To read 8 bytes costs nearly as much as to read 4 KiB, and CPython (3.11+) keeps the frames of a thread
 * side by side in data-stack chunks, callers below callees. So the walk reads a block that ends with the
 * wanted frame and parses every frame that it holds. A block only prefetches: what is parsed is the memory at
 * the frame's own address. A wrong guess about a chunk costs a read and never makes a wrong frame.
 */
#ifndef PYPERF_BPF_PYTHON_WALK_H
#define PYPERF_BPF_PYTHON_WALK_H

#include "bpf/python/reads.h"

#define CHUNK_NEAR   128 /* more than the header of a chunk */
#define PARSE_FRAMES 16 /* frames parsed in one step, which is what the verifier has to unroll */

static __always_inline __u64 frame_address(const struct frame *f)
{
	return f->address & ~(__u64)FRAME_SINGLE;
}

static __always_inline __u64 walk_load(const __u8 *p)
{
	return *(const __u64 *)p;
}

/*
 * The opposite of mem_plausible() as arithmetic, which is one branch for the verifier: not 0 for an
 * impossible address.
 */
static __always_inline __u64 walk_implausible(__u64 address)
{
	return (address & 7) | address >> ADDRESS_BITS | (address - 4096) >> ADDRESS_BITS;
}

static __always_inline __u64 walk_instr_mask(const struct layout *l)
{
	return ~0ULL >> 32 * (l->frame_lasti & 1);
}

/*
 * Parses frames as long as they lie inside of w->parse, which is passed in memory, because the verifier would
 * follow every way that leads to its values on its own. For the same reason a frame is stored before it is
 * known to be wanted, and depth moves by arithmetic: every branch in here that did not leave the loop would
 * double what the verifier has to look at. This is also why it is one function of more than 60 lines: what it
 * keeps in registers from frame to frame would have to go through memory.
 */
static __always_inline void walk_parse(struct walk *w, const struct layout *l)
{
	const __u64 start = w->parse.address, size = w->parse.size, base = w->parse.at;
	const __u32 off_code = l->frame_code, off_previous = l->frame_previous, off_instr = l->frame_instr;
	const __u32 off_owner = l->frame_owner, off_entry = l->frame_is_entry, shim = l->owner_shim;
	const __u64 tag = l->pointer_tag, instr_mask = walk_instr_mask(l);
	const __u64 resume = w->resume, keep = w->keep_shims, max_depth = w->max_depth;
	const __u64 caller = w->entry.caller, entry_mask = l->root_rule == ROOT_ENTRY;
	const __u32 generator = l->owner_generator;
	__u64 next = w->next, last = w->last, differs;
	__u32 depth = w->depth, python = w->python, entered = w->entry.entered, strange = w->entry.strange;
	__u32 end = WALK_ON, owner = 0, is_entry = 0;

	for (int i = 0; i < PARSE_FRAMES; i++) {
		__u64 at = next - start, code, is_python;
		__u32 entry;
		const __u8 *f;

		if (at > size - FRAME_READ)
			break;
		at += base;
		mem_opaque(at);
		at &= WALK_MEM - 1;
		f = w->mem + at;

		owner = f[off_owner];
		is_entry = f[off_entry];
		is_python = (owner - shim) >> 31; /* both are bytes: 1 if owner < shim */
		code = walk_load(f + off_code) & ~tag;
		if ((is_python * walk_implausible(code)) != 0) {
			end = WALK_BAD;
			break;
		}
		if (python + is_python > max_depth || depth >= DEPTH_LIMIT) {
			end = WALK_DEEP;
			break;
		}
		python += is_python;
		mem_opaque(depth);
		depth &= DEPTH_LIMIT - 1;
		w->frames[depth].address = next | (keep & (base / BLOCK_AT ^ FRAME_SINGLE));
		w->frames[depth].code = code * is_python;
		w->frames[depth].instr = walk_load(f + off_instr) & instr_mask;
		last = next;
		depth += is_python | keep;
		next = walk_load(f + off_previous);
		/*
		 * An entry frame counts only if it is no generator's. throw() and close() link a generator
		 * that is no entry now but may still be marked as one (_gen_throw() in Objects/genobject.c).
		 * Generators that do not run have no link at all.
		 */
		differs = next ^ caller;
		entered |= ~(differs | -differs) >> 63;
		entry = ((is_entry & entry_mask) + 1 - is_python) & -(generator ^ owner) >> 31;
		strange |= entry & ~entered;
		if (walk_implausible(next)) {
			end = next ? WALK_BAD : WALK_ROOT;
			break;
		}
		if (next <= resume)
			break;
	}
	w->next = next;
	w->last = last;
	w->depth = depth;
	w->python = python;
	w->entry.entered = entered;
	w->entry.strange = strange;
	w->end = end;
	w->last_owner = owner;
	w->last_is_entry = is_entry;
}

/*
 * Reads the block that ends with the wanted frame, cut off at the start of its chunk. 0, or negative if there
 * is none.
 */
static __always_inline int walk_read_block(struct walk *w)
{
	__u64 start = w->next + FRAME_READ - (w->block.count < FIRST_BLOCKS ? FIRST_BLOCK : BLOCK_SIZE),
	      size;

	if (w->read_bytes > BLOCK_BYTES_MIN + BLOCK_BYTES * w->max_depth)
		return -1;
	if (w->next - w->chunk.now >= CHUNK_SIZE) {
		if (!w->chunk.older || w->next - w->chunk.older >= CHUNK_SIZE)
			return -1;
		w->chunk.now = w->chunk.older;
		w->chunk.older = 0;
	}
	/* Its header too, if it is near: that says where the chunk before it is. */
	if (start < w->chunk.now + CHUNK_NEAR || start > w->next)
		start = w->chunk.now;
	size = w->next + FRAME_READ - start;
	mem_opaque(size);
	if (size > BLOCK_SIZE || size < FRAME_READ)
		return -1;
	w->block.address = 0;
	if (walk_read(w, w->mem + BLOCK_AT, size, start))
		return -1;
	w->block.address = start;
	w->block.size = size;
	w->block.count++;
	/*
	 * struct _PyStackChunk begins with previous (3.11-3.15). A lie must not make us load unaligned words.
	 */
	if (start == w->chunk.now)
		w->chunk.older = walk_load(w->mem + BLOCK_AT) & ~7ULL;
	return 0;
}

static __always_inline int walk_in_block(const struct walk *w)
{
	return w->block.address && w->next - w->block.address <= (__u64)w->block.size - FRAME_READ;
}

/* Whether the frame at w->next is in the block, after a new one was read if need be. */
static __always_inline int walk_have_block(struct walk *w)
{
	return walk_in_block(w) || (!walk_read_block(w) && walk_in_block(w));
}

/*
 * Reads the frame at w->next on its own: a heap object, an entry frame on the C stack, a frame in an unusual
 * chunk. 0, or negative as mem_read().
 */
static __always_inline int walk_read_single(struct walk *w, const struct layout *l)
{
	__u32 size = l->frame_size;

	mem_opaque(size);
	if (size < FRAME_READ || size > FRAME_READ_MAX)
		return -1;
	return walk_read(w, w->mem + SINGLE_AT, size, w->next);
}

/*
 * Whether the frame that was read on its own is of no call any more. Up to 3.10 such a frame keeps its link
 * to what was its caller (frame_dealloc() in Objects/frameobject.c keeps it for the next call).
 */
static __always_inline int walk_is_unused(const struct walk *w, const struct layout *l)
{
	return w->in_use && l->frame_running && w->mem[SINGLE_AT + l->frame_running] != l->running;
}

/* One read and the frames that it holds. Returns 0 to go on, 1 to stop. */
WALK_GLOBAL int walk_step(struct walk *w, const struct layout *l)
{
	if (!w || !l)
		return 1;
	if (!w->leaf_only && walk_step_late(w))
		return 1;
	if (!w->single && walk_have_block(w)) {
		w->parse.address = w->block.address;
		w->parse.size = w->block.size;
		w->parse.at = BLOCK_AT;
	} else if (walk_read_single(w, l)) {
		w->end = WALK_FAULT;
		return 1;
	} else if (walk_is_unused(w, l)) {
		w->end = WALK_BAD;
		return 1;
	} else {
		w->parse.address = w->next;
		w->parse.size = FRAME_READ;
		w->parse.at = SINGLE_AT;
	}
	walk_parse(w, l);
	return w->end != WALK_ON;
}

/* walk_step(), of whose result the verifier knows nothing, as 0 or 1, which a callback has to return. */
static __always_inline int walk_stops(struct walk *w, const struct layout *l)
{
	int stop = walk_step(w, l);

	mem_opaque(stop);
	return stop != 0;
}

/* How many steps a walk may take. Shims use up no depth, so it also ends a hostile ring of them. */
static __always_inline __u32 walk_steps(const struct walk *w)
{
	return 4 * (w->max_depth & (DEPTH_LIMIT - 1)) + 64;
}

struct walk_context {
	struct walk *w;
	const struct layout *l;
};

static long walk_callback(__u32 i, struct walk_context *c)
{
	(void)i;
	return walk_stops(c->w, c->l);
}

/* At the start of a sample: no frame is known, and so much is wanted of the walks to come. */
static __always_inline void walk_forget(struct walk *w, __u32 max_depth, __u32 single)
{
	w->max_depth = max_depth;
	w->single = single;
	w->depth = 0;
	w->keep_shims = 0;
	w->in_use = 0;
}

/*
 * Prepares a walk from frame, whose thread's frames are expected in chunk. If there is nothing to walk,
 * w->end says why. The caller has set max_depth, single and keep_shims.
 */
static __always_inline void walk_begin(struct walk *w, __u64 frame, __u64 chunk)
{
	w->next = frame;
	w->chunk.now = mem_plausible(chunk) ? chunk : ~0ULL;
	w->chunk.older = 0;
	w->block.address = 0;
	w->block.size = 0;
	w->block.count = 0;
	w->resume = 0;
	w->last = 0;
	w->depth = 0;
	w->python = 0;
	w->leaf_only = 0;
	w->entry.caller = ~0ULL;
	w->entry.entered = 0;
	w->entry.strange = 0;
	w->last_owner = 0;
	w->last_is_entry = 0;
	w->end = mem_plausible(frame) ? WALK_ON : frame ? WALK_BAD : WALK_ROOT;
}

/* Frames that hold LATE_DEPTH ones of Python: there is a shim between two of them at most. */
static __always_inline __u32 walk_leaf_depth(const struct walk *w)
{
	return LATE_DEPTH << (w->keep_shims & 1);
}

static long walk_leaf_callback(__u32 i, struct walk_context *c)
{
	(void)i;
	return c->w->depth >= walk_leaf_depth(c->w) || walk_stops(c->w, c->l);
}

/* The time is up: keeps the frames nearest to the leaf, of which some may have to be read yet. */
static __always_inline void walk_keep_leaf(struct walk *w, struct walk_context *c)
{
	const __u32 keep = walk_leaf_depth(w);

	w->leaf_only = 1;
	w->end = WALK_ON;
	bpf_loop(2 * LATE_DEPTH, walk_leaf_callback, c, 0);
	if (w->depth > keep || w->end == WALK_ON) {
		w->depth = w->depth > keep ? keep : w->depth;
		w->end = WALK_LATE;
	}
}

/* Walks on. Afterwards frames[0..depth) hold the frames, leaf first, and w->end says how it ended. */
WALK_GLOBAL int walk_run(struct walk *w, const struct layout *l)
{
	struct walk_context c = { w, l };

	if (!w || !l)
		return -1;
	if (w->end == WALK_ON)
		bpf_loop(walk_steps(w), walk_callback, &c, 0);
	if (w->end == WALK_ON)
		w->end = WALK_LATE;
	if (w->end == WALK_LATE)
		walk_keep_leaf(w, &c);
	return 0;
}

/* A walk of its own from frame, without shims, which knows of no caller. */
static __always_inline void walk_from(struct walk *w, const struct layout *l, __u64 frame, __u64 chunk)
{
	w->keep_shims = 0;
	walk_begin(w, frame, chunk);
	walk_run(w, l);
}

/*
 * 3.6 to 3.10: the generator that the last frame is of; 0 = none, ~0 if it cannot be read. While throw() goes
 * through `yield from`, the outer generator's frame of 3.9, for a moment that of 3.10, is on the chain but
 * not linked to its caller (_gen_throw(), Objects/genobject.c).
 */
static __always_inline __u64 walk_generator(const struct walk *w, const struct layout *l)
{
	__u64 generator = ~0ULL;

	if (mem_read(&generator, sizeof(generator), w->last + l->frame_generator))
		return ~0ULL;
	return generator;
}

#define FRAME_OBJECT_NEAR 256 /* bytes, at most, from a frame object to the frame within it */

/*
 * 3.11 and later: whether the last frame is one that compiled code has made (Nuitka), and that nothing has
 * called. Such a frame is a part of its own frame object, and says that a generator owns it. CPython itself
 * has a generator's frame in the generator only; one within a frame object is owned by that, and of a call
 * that has ended (take_ownership() in Python/frame.c).
 */
WALK_GLOBAL int walk_is_compiled(struct walk *w, const struct layout *l)
{
	__u64 object = 0, frame = 0;

	if (!w || !l || w->end != WALK_ROOT || w->last_owner != l->owner_generator || !l->object_frame)
		return 0;
	if (mem_read(&object, sizeof(object), w->last + l->frame_object) || object & 7 ||
	    w->last - object >= FRAME_OBJECT_NEAR)
		return 0;
	return !mem_read(&frame, sizeof(frame), object + l->object_frame) && frame == w->last;
}

/*
 * The root rule: whether the chain ended as a chain of this version must. Every build was single-stepped: a
 * chain that is caught half-linked, or a CFrame that is not filled in yet (3.11, 3.12), always breaks it.
 */
static __always_inline int walk_is_rooted(const struct walk *w, const struct layout *l, __u64 base_frame)
{
	if (w->end != WALK_ROOT)
		return 0;
	switch (l->root_rule) {
	case ROOT_ENTRY:
		/* An owner is a thread (0) or a frame object (2); garbage may be anything. */
		return w->last_is_entry == 1 && w->last_owner <= 2 && w->last_owner != l->owner_generator;
	case ROOT_SHIM:
		return w->last_owner >= l->owner_shim;
	case ROOT_BASE:
		/* A greenlet begins without a frame (greenlet 3.5), so its outermost shim has no caller. */
		return base_frame && (w->last == base_frame || w->last_owner >= l->owner_shim);
	case ROOT_NULL:
		return !l->frame_generator || !walk_generator(w, l);
	}
	return 0;
}

/* Whether the chain ended so, or at a frame of compiled code. */
static __always_inline int walk_is_whole(struct walk *w, const struct layout *l, __u64 base_frame)
{
	return walk_is_rooted(w, l, base_frame) || walk_is_compiled(w, l);
}

#endif
