/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge.h - which native frame runs which Python frames, by --native full. Each activation of the
 * interpreter's loop is one native frame, and runs one Python frame or several. What lies between two
 * activations in the native stack was called by the Python frame on top of the older one.
 *
 * The native frame of an activation is the one that has a certain object among its local variables: a shim
 * (3.12 and later), a CFrame (3.11). So no name is needed. Up to 3.10 there is no such object that is always
 * there; each activation runs one frame there, so they are counted off along the native frames of the loop.
 * The newest activation may have no frame: it makes its frame the thread's when it begins, and the caller's
 * before it ends (_PyEval_EvalFrameDefault() in Python/ceval.c).
 *
 * Both lists are passed from the leaf to the root. Nothing is added to the tree before all of it has fitted.
 */
#ifndef PYPERF_BPF_STACK_MERGE_H
#define PYPERF_BPF_STACK_MERGE_H

#include "bpf/native/native_cache.h"
#include "bpf/python/cache.h"

_Static_assert(sizeof(((struct unwind *)0)->merge.entered) == 2 * DEPTH_LIMIT, "an entry for each frame");
_Static_assert(sizeof(((struct native_cache *)0)->below) == 2 * CACHE_DEPTH, "an entry for each frame");

#define MERGE_SEEK  8 /* native frames passed in one step */
#define MERGE_STEPS (2 * DEPTH_LIMIT)

/* The number of native frames in all. */
static __always_inline __u32 merge_total(const struct unwind *u)
{
	return u->depth + u->cached.run;
}

/* Native frame number i of the stack, leaf first; NULL if there is none. */
static __always_inline const struct native_frame *merge_frame(const struct unwind *u, struct native_cache *k,
							      __u32 i)
{
	const __u32 depth = u->depth;

	if (i < depth) {
		mem_opaque(i);
		return &u->frames[i & (NATIVE_DEPTH - 1)];
	}
	i -= depth;
	if (!k || i >= u->cached.run)
		return NULL;
	mem_opaque(k); /* nothing is added to it before that check */
	return native_cache_at(k, u->cached.run - 1 - i);
}

/* Where the stack of native frame number i ends: that of its caller begins there. */
static __always_inline __u64 merge_top(const struct unwind *u, struct native_cache *k, __u32 i)
{
	const struct native_frame *caller = merge_frame(u, k, i + 1);

	if (caller)
		return caller->sp;
	return u->end == NATIVE_FUNCTION ? ~0ULL : 0;
}

#define SEEK_ON	      0 /* not found yet: the next step goes on */
#define SEEK_FOUND    1
#define SEEK_NONE     2 /* there are no more native frames */
#define SEEK_MISMATCH 3 /* the object is in the stack of none of them */

/*
 * Goes on to the native frame that runs the activation with the object at this address; up to 3.10 (address
 * 0), to the next of the loop.
 */
WALK_GLOBAL int merge_seek(struct unwind *u, struct native_cache *k, __u64 address)
{
	int found = SEEK_ON;
	__u32 i;

	if (!u)
		return SEEK_NONE;
	i = u->merge.native;
	for (int n = 0; n < MERGE_SEEK && found == SEEK_ON; n++) {
		const struct native_frame *f = merge_frame(u, k, i);

		if (!f)
			found = SEEK_NONE;
		else if (!address)
			found = f->place & NATIVE_LOOP ? SEEK_FOUND : SEEK_ON;
		else if (merge_top(u, k, i) > address)
			found = f->sp <= address ? SEEK_FOUND : SEEK_MISMATCH;
		i += found == SEEK_ON;
	}
	u->merge.native = i;
	return found;
}

/* Reads the CFrame that is linked from the one at hand. */
static __always_inline void merge_read_cframe(struct scratch *s, __u64 address)
{
	struct unwind *u = &s->unwind;

	u->merge.older_at = address;
	if (!mem_plausible(address) || walk_read(&s->walk, u->merge.older, sizeof(u->merge.older), address))
		u->merge.older[0] = u->merge.older[1] = u->merge.older[2] = 0;
}

static __always_inline __u64 merge_cframe_word(const struct unwind *u, __u32 offset)
{
	return u->merge.older[offset >> 3 & 3];
}

/* Remembers which native frame runs Python frame number i of the thread's cache: the one reached last. */
WALK_GLOBAL int native_cache_below(struct unwind *u, __u32 i)
{
	struct native_cache *k;

	if (!u)
		return -1;
	k = native_cache_of(u);
	if (k && i < CACHE_DEPTH)
		k->below[i & (CACHE_DEPTH - 1)] = merge_total(u) - u->merge.below;
	return 0;
}

struct merge_context {
	struct scratch *s;
	struct native_cache *k; /* NULL: nothing is remembered */
	const struct layout *l;
	__u64 below; /* address of the Python frame on which those of the walk stand; 0 = none */
};

/*
 * Whether Python frame number i was entered from C: it is the oldest of an activation. *object is the address
 * of the object that its native frame has among its local variables.
 */
static __always_inline int merge_is_entry(const struct merge_context *c, __u32 i, __u64 *object)
{
	const struct unwind *u = &c->s->unwind;
	const struct walk *w = &c->s->walk;
	const struct frame *f = &w->frames[i & (DEPTH_LIMIT - 1)];
	__u64 caller = c->below;

	*object = 0;
	if (c->l->root_rule == ROOT_NULL)
		return 1;
	if (c->l->root_rule != ROOT_ENTRY) {
		*object = frame_address(f);
		return !f->code && *object != u->merge.base;
	}
	*object = u->merge.cframe;
	i++;
	mem_opaque(i);
	if (i < w->depth && i < DEPTH_LIMIT)
		caller = frame_address(&w->frames[i & (DEPTH_LIMIT - 1)]);
	return !caller || caller == merge_cframe_word(u, c->l->cframe_frame);
}

/*
 * Up to 3.10, after the last Python frame: the next activation has to be that of the frame below, or there is
 * no other.
 */
static __always_inline int merge_end(const struct merge_context *c)
{
	struct unwind *u = &c->s->unwind;
	int found;

	if (c->l->root_rule != ROOT_NULL || u->end != NATIVE_FUNCTION) {
		u->merge.failed = u->merge.native > u->merge.below;
		return 1;
	}
	found = merge_seek(u, c->k, 0);
	u->merge.failed = found == SEEK_FOUND ? u->merge.native != u->merge.below : c->below != 0;
	return found != SEEK_ON;
}

/* Up to 3.10: passes the newest activation, which has no frame. Returns 0 to go on. */
static __always_inline int merge_skip(const struct merge_context *c)
{
	struct unwind *u = &c->s->unwind;

	if (merge_seek(u, c->k, 0) != SEEK_FOUND)
		return merge_frame(u, c->k, u->merge.native) == NULL;
	u->merge.native++;
	u->merge.spare = 0;
	return 0;
}

/* Passes a Python frame, or some native frames. Returns 0 to go on. */
static __always_inline int merge_step(const struct merge_context *c)
{
	struct unwind *u = &c->s->unwind;
	const __u32 i = u->merge.python & (DEPTH_LIMIT - 1);
	__u64 object;
	int found;

	if (u->merge.spare)
		return merge_skip(c);
	if (u->merge.python >= c->s->walk.depth)
		return merge_end(c);
	if (!merge_is_entry(c, i, &object)) {
		u->merge.entered[i] = ENTERED_NONE;
		u->merge.python++;
		return 0;
	}
	found = merge_seek(u, c->k, object);
	if (found == SEEK_ON)
		return 0;
	if (found == SEEK_MISMATCH || (found == SEEK_NONE && u->end == NATIVE_FUNCTION))
		return 1; /* failed is still 1 */
	u->merge.entered[i] = found == SEEK_FOUND ? u->merge.native++ : ENTERED_UNKNOWN;
	u->merge.python++;
	if (c->l->root_rule == ROOT_ENTRY) {
		u->merge.cframe = u->merge.older_at;
		merge_read_cframe(c->s, merge_cframe_word(u, c->l->cframe_previous));
	}
	return 0;
}

static long merge_callback(__u32 i, struct merge_context *c)
{
	int stop = merge_step(c);

	(void)i;
	mem_opaque(stop);
	return stop != 0; /* the verifier wants to see 0 or 1 */
}

/*
 * Finds out which native frames run the Python frames of the walk, which stand on the first `run` ones of the
 * thread's cache. 0, or negative if they do not fit together.
 */
static __always_inline int merge_run(struct scratch *s, struct native_cache *k, struct cache *python,
				     __u32 run, const struct layout *l)
{
	struct unwind *u = &s->unwind;
	struct merge_context c = { s, k, l, 0 };

	u->merge.oldest = !run;
	u->merge.below = merge_total(u);
	if (run && k) {
		c.below = cache_at(python, run - 1)->address;
		u->merge.below -= k->below[(run - 1) & (CACHE_DEPTH - 1)];
		/* 3.15: the oldest shim alone is in no native frame. */
		u->merge.oldest = !k->below[(run - 1) & (CACHE_DEPTH - 1)];
	}
	u->merge.newest = u->merge.below;
	if (l->root_rule == ROOT_ENTRY) {
		u->merge.cframe = u->cframe;
		merge_read_cframe(s, s->cframe[l->cframe_previous >> 3 & 3]);
	}
	for (int try = 0; try < 2; try++) {
		u->merge.python = u->merge.native = 0;
		u->merge.failed = 1;
		u->merge.spare = try;
		bpf_loop(MERGE_STEPS, merge_callback, &c, 0);
		if (!u->merge.failed)
			return 0;
		if (l->root_rule != ROOT_NULL)
			break;
	}
	return -1;
}

#endif
