/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk.h - the walk along a thread's Python frames, from the leaf to the interpreter's root. One source for
 * BPF and for the host; memory is only read through mem_read().
 *
 * A read costs nearly the same for 8 bytes as for 4 KiB, and CPython (3.11+) keeps the frames of a thread
 * side by side in data-stack chunks, callers below callees. So the walk reads a block that ends with the
 * wanted frame and parses every frame it holds. A block only prefetches: what is parsed is the memory at the
 * frame's own address, so a wrong guess about a chunk costs a read and never a wrong frame.
 */
#ifndef PYPERF_BPF_PYTHON_WALK_H
#define PYPERF_BPF_PYTHON_WALK_H

#include "bpf/mem.h"

/* A function that is verified once, on its own, wherever it is called from. */
#ifdef PYPERF_HOST
#define WALK_GLOBAL static
#else
#define WALK_GLOBAL __attribute__((noinline))
#endif

#define BLOCK_SIZE 16384 /* at most: a whole chunk, once a stack is known to be deep */
#define FIRST_BLOCK 4096
#define PARSE_FRAMES 16 /* frames parsed in one step: what the verifier has to unroll */
#define SINGLE_AT 0	/* where in walk.mem a frame outside of the data stack is read to */
#define BLOCK_AT  128	/* ... and a block: side by side, to share a page when stacks are shallow */
#define WALK_MEM (2 * BLOCK_SIZE)
#define WALK_SLACK 512 /* a masked position plus a one-byte offset stays inside */

#define DEPTH_LIMIT 4096 /* power of two; --max-depth is less */

enum walk_end {
	WALK_ON,    /* more to read */
	WALK_ROOT,  /* previous is NULL */
	WALK_FAULT, /* a frame's memory is not resident */
	WALK_BAD,   /* an address that cannot be one */
	WALK_DEEP,  /* max_depth reached */
};

#define FRAME_SINGLE 1 /* in struct frame.address, with keep_shims: read on its own, not in a data-stack block */

struct frame {
	__u64 address;
	__u64 code;
	__u64 instr; /* address of the instruction; up to 3.10 f_lasti, 32 bits */
};

/* One walk; lives in per-CPU scratch because the verifier follows values on the BPF stack too closely. */
struct walk {
	__u64 next;	   /* the frame to parse next */
	__u64 chunk;	   /* data-stack chunk that frames are expected in */
	__u64 older_chunk; /* its predecessor, once known */
	__u64 block;	   /* address of what mem holds, from its start */
	__u64 last;	   /* the frame parsed last */
	__u64 resume;	   /* stop at a frame at or below this address; 0 = none */
	__u64 start;	   /* the bytes to parse: their address, ... */
	__u32 size;	   /* ... how many, ... */
	__u32 base;	   /* ... where in mem */
	__u32 block_size;
	__u32 depth;	   /* frames stored */
	__u32 max_depth;
	__u32 single;	   /* --reads single: one read for each frame */
	__u32 python;	   /* of the frames stored: not shims */
	__u64 caller;	   /* 3.11, 3.12: what called into the newest activation of the interpreter's loop, */
	__u32 entered;	   /* ... 1 once a frame was parsed that it called, */
	__u32 strange;	   /* ... 1 if another entry came first */
	__u32 keep_shims;  /* store shims too, with code 0 */
	__u32 left;	   /* cache.h: cached frames not passed yet, */
	__u32 run;	   /* ... how many there were when the frames that prove equal began, 0 = none, */
	__u32 flush;	   /* ... and where to go on copying a run that ended early, 0 = none */
	__u32 end;	   /* enum walk_end */
	__u8 last_owner;   /* of the last frame parsed */
	__u8 last_is_entry;
	__u16 pad;
	__u32 reads;
	__u32 read_bytes;
	__u32 faults;
	__u32 pad2;
	__u8 mem[WALK_MEM + WALK_SLACK] __attribute__((aligned(8))); /* words are loaded from it */
	struct frame frames[DEPTH_LIMIT]; /* leaf first */
};

static __always_inline int walk_read(struct walk *w, void *dst, __u32 size, __u64 address)
{
	int err = mem_read(dst, size, address);

	w->reads++;
	w->read_bytes += size;
	if (err)
		w->faults++;
	return err;
}

static __always_inline __u64 walk_load(const __u8 *p)
{
	return *(const __u64 *)p;
}

/* Not 0 for what cannot be the address of an object: mem_plausible() as arithmetic, one branch for the verifier. */
static __always_inline __u64 walk_implausible(__u64 address)
{
	return (address & 7) | address >> 47 | (address - 4096) >> 47;
}

static __always_inline __u64 walk_instr_mask(const struct layout *l)
{
	return ~0ULL >> 32 * (l->frame_lasti & 1);
}

/*
 * Parses frames as long as they lie inside the w->size bytes read from w->start, which stand at mem[base]: in
 * memory, because the verifier would follow every way to them on its own. For the same reason the frame is stored before it is known to be wanted, and depth moves by arithmetic: every branch here that did not
 * leave the loop would double what the verifier has to look at.
 */
static __always_inline void walk_parse(struct walk *w, const struct layout *l)
{
	const __u64 start = w->start, size = w->size, base = w->base;
	const __u32 off_code = l->frame_code, off_previous = l->frame_previous, off_instr = l->frame_instr;
	const __u32 off_owner = l->frame_owner, off_entry = l->frame_is_entry, shim = l->owner_shim;
	const __u64 tag = l->pointer_tag, instr_mask = walk_instr_mask(l);
	const __u64 resume = w->resume, keep = w->keep_shims, max_depth = w->max_depth;
	const __u64 caller = w->caller, entry_mask = l->root_rule == ROOT_ENTRY;
	const __u32 generator = l->owner_generator;
	__u64 next = w->next, last = w->last, differs;
	__u32 depth = w->depth, python = w->python, entered = w->entered, strange = w->strange;
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
		 * throw() and close() link a generator that is no entry now but may still be marked as one
		 * (_gen_throw() in Objects/genobject.c). Generators that do not run have no link at all.
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
	w->entered = entered;
	w->strange = strange;
	w->end = end;
	w->last_owner = owner;
	w->last_is_entry = is_entry;
}

/* Reads the block that ends with the wanted frame, cut off at the start of its chunk. */
static __always_inline int walk_read_block(struct walk *w)
{
	__u64 start = w->next + FRAME_READ - (w->block_size ? BLOCK_SIZE : FIRST_BLOCK), size;

	if (w->next - w->chunk >= CHUNK_SIZE) {
		if (!w->older_chunk || w->next - w->older_chunk >= CHUNK_SIZE)
			return -1;
		w->chunk = w->older_chunk;
		w->older_chunk = 0;
	}
	if (start < w->chunk || start > w->next)
		start = w->chunk;
	size = w->next + FRAME_READ - start;
	mem_opaque(size);
	if (size > BLOCK_SIZE || size < FRAME_READ)
		return -1;
	w->block = 0;
	if (walk_read(w, w->mem + BLOCK_AT, size, start))
		return -1;
	w->block = start;
	w->block_size = size;
	/* struct _PyStackChunk begins with previous (3.11-3.15). A lie must not make us load unaligned words. */
	if (start == w->chunk)
		w->older_chunk = walk_load(w->mem + BLOCK_AT) & ~7ULL;
	return 0;
}

static __always_inline int walk_in_block(const struct walk *w)
{
	return w->block && w->next - w->block <= (__u64)w->block_size - FRAME_READ;
}

/* The frame at w->next on its own: a heap object, an entry frame on the C stack, a frame in an unusual chunk. */
static __always_inline int walk_read_single(struct walk *w, const struct layout *l)
{
	__u32 size = l->frame_size;

	mem_opaque(size);
	if (size < FRAME_READ || size > FRAME_READ_MAX)
		return -1;
	return walk_read(w, w->mem + SINGLE_AT, size, w->next);
}

/* One read and the frames it holds. A step of a bounded loop: 0 to go on, 1 to stop. */
WALK_GLOBAL int walk_step(struct walk *w, const struct layout *l)
{
	if (!w || !l)
		return 1;
	if (!w->single && (walk_in_block(w) || (!walk_read_block(w) && walk_in_block(w)))) {
		w->start = w->block;
		w->size = w->block_size;
		w->base = BLOCK_AT;
	} else if (walk_read_single(w, l)) {
		w->end = WALK_FAULT;
		return 1;
	} else {
		w->start = w->next;
		w->size = FRAME_READ;
		w->base = SINGLE_AT;
	}
	walk_parse(w, l);
	return w->end != WALK_ON;
}

/* walk_step() as 0 or 1, in a way that the verifier, which knows nothing of what it returns, can follow. */
static __always_inline int walk_stops(struct walk *w, const struct layout *l)
{
	int stop = walk_step(w, l);

	mem_opaque(stop);
	return stop != 0;
}

/* Shims use up no depth, so a hostile ring of them must be bounded too: at most three for each frame. */
static __always_inline __u32 walk_steps(const struct walk *w)
{
	return 4 * (w->max_depth & (DEPTH_LIMIT - 1)) + 64;
}

#ifdef PYPERF_HOST
static void walk_loop(struct walk *w, const struct layout *l)
{
	for (__u32 i = 0; i < walk_steps(w); i++)
		if (walk_step(w, l))
			break;
}
#else
struct walk_context {
	struct walk *w;
	const struct layout *l;
};

static long walk_callback(__u32 i, struct walk_context *c)
{
	return walk_stops(c->w, c->l);
}

static __always_inline void walk_loop(struct walk *w, const struct layout *l)
{
	struct walk_context c = { w, l };

	bpf_loop(walk_steps(w), walk_callback, &c, 0);
}
#endif

/* Before a walk from frame, whose thread's frames are expected in chunk. Nothing to walk: end is not WALK_ON. */
static __always_inline void walk_begin(struct walk *w, __u64 frame, __u64 chunk)
{
	w->next = frame;
	w->chunk = mem_plausible(chunk) ? chunk : ~0ULL;
	w->older_chunk = 0;
	w->block = 0;
	w->block_size = 0;
	w->resume = 0;
	w->last = 0;
	w->depth = 0;
	w->python = 0;
	w->caller = ~0ULL;
	w->entered = 0;
	w->strange = 0;
	w->last_owner = 0;
	w->last_is_entry = 0;
	w->end = mem_plausible(frame) ? WALK_ON : frame ? WALK_BAD : WALK_ROOT;
}

/* Walks on. Afterwards frames[0..depth) hold the frames, leaf first, and end says how it ended. */
WALK_GLOBAL int walk_run(struct walk *w, const struct layout *l)
{
	if (!w || !l)
		return -1;
	if (w->end == WALK_ON)
		walk_loop(w, l);
	return 0;
}

/* A walk of its own, which knows of no caller. */
static __always_inline void walk_from(struct walk *w, const struct layout *l, __u64 frame, __u64 chunk)
{
	w->keep_shims = 0;
	walk_begin(w, frame, chunk);
	walk_run(w, l);
}

/*
 * 3.6 to 3.10: the generator that the last frame is of, 0 = none. While throw() goes through `yield from`, the outer
 * generator's frame of 3.9, for a moment that of 3.10, is on the chain but not linked to its caller (_gen_throw(),
 * Objects/genobject.c).
 */
static __always_inline __u64 walk_generator(const struct walk *w, const struct layout *l)
{
	__u64 generator = ~0ULL;

	if (mem_read(&generator, sizeof(generator), w->last + l->frame_generator))
		return ~0ULL;
	return generator;
}

/*
 * The root rule: whether the chain ended as a chain of this version must. Single-stepping every build showed
 * that a chain caught half-linked, or a CFrame not yet filled in (3.11, 3.12), always breaks it.
 */
static __always_inline int walk_is_whole(const struct walk *w, const struct layout *l, __u64 base_frame)
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
		return base_frame && w->last == base_frame;
	case ROOT_NULL:
		return !l->frame_generator || !walk_generator(w, l);
	}
	return 0;
}

#endif
