/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_cache.h - the native frames of a thread's last sample, by which most of the way need not be found
 * again.
 *
 * From a frame's registers on, the way to the root is made of the rules of the code, and two words of the
 * stack for each frame: its return address, and its caller's rbp. So when the way has come to a frame with
 * the same registers as before, and all these words are the same as before, the rest of the way is the same.
 * Frames of which more was read are not kept, nor any that they have called.
 */
#ifndef PYPERF_BPF_NATIVE_NATIVE_CACHE_H
#define PYPERF_BPF_NATIVE_NATIVE_CACHE_H

#include "bpf/data/maps.h"
#include "bpf/native/caller.h"

/* What one step does at most; the verifier unrolls it. */
#define NATIVE_CACHE_SEEK   8
#define NATIVE_CACHE_VERIFY 16

/* The thread's native cache, if this sample uses it. */
static __always_inline struct native_cache *native_cache_of(const struct unwind *u)
{
	__u32 slot = u->merge.slot;

	return bpf_map_lookup_elem(&native_caches, &slot);
}

static inline __u32 native_slot(const struct native_frame *f)
{
	return f->place >> NATIVE_SLOT_SHIFT & 31;
}

static __always_inline struct native_frame *native_cache_at(struct native_cache *k, __u32 index)
{
	mem_opaque(index);
	return &k->frames[index & (NATIVE_CACHE_DEPTH - 1)];
}

/*
 * Whether the frame at hand is one that is remembered; then it is to be compared from there on. Frames that
 * cannot be among its callers are left behind.
 */
static __always_inline int native_cache_seek(struct unwind *u, struct native_cache *k)
{
	const struct native_frame *f = NULL;
	__u32 left = u->cached.left;

	for (int i = 0; i < NATIVE_CACHE_SEEK && left; i++) {
		f = native_cache_at(k, left - 1);
		if (f->sp >= u->sp)
			break;
		left--;
	}
	u->cached.left = left;
	if (u->exact || !left || !f || f->sp != u->sp || f->pc != u->pc || f->bp != u->bp)
		return 0;
	u->cached.run = left;
	return 1;
}

/* Whether a frame still leads to the one that called it, where the block at hand has both words. */
static __always_inline int native_cache_seen(const struct unwind *u, const struct native_frame *f,
					     const struct native_frame *caller)
{
	const __u64 *pc = stack_seen(u, caller_pc_at(f, native_slot(f), caller->sp)), *bp = &caller->bp;
	const __u64 bp_at = caller_bp_at(f, native_slot(f), caller->sp);

	if (bp_at)
		bp = stack_seen(u, bp_at);
	return pc && bp && caller_plain(*pc) == caller->pc && *bp == caller->bp;
}

/* Whether a frame still leads to the one that called it. */
WALK_GLOBAL int native_cache_holds(struct scratch *s, const struct native_frame *f,
				   const struct native_frame *caller)
{
	__u64 bp_at, word;

	if (!s || !f || !caller)
		return 0;
	bp_at = caller_bp_at(f, native_slot(f), caller->sp);
	word = caller->bp;
	if (bp_at && (stack_word(s, bp_at, &word) || word != caller->bp))
		return 0;
	return !stack_word(s, caller_pc_at(f, native_slot(f), caller->sp), &word) &&
	       caller_plain(word) == caller->pc;
}

/*
 * Compares remembered frames, towards the root. Returns 1 when all are as they were. If one has another
 * caller now, the way is found frame by frame again from where the comparison began.
 */
WALK_GLOBAL int native_cache_verify(struct scratch *s, struct native_cache *k)
{
	const struct native_frame *f, *caller;
	struct unwind *u;
	__u32 left;

	if (!s || !k)
		return 0;
	u = &s->unwind;
	left = u->cached.left;
	for (int i = 0; i < NATIVE_CACHE_VERIFY && left > 1; i++) {
		f = native_cache_at(k, left - 1);
		caller = native_cache_at(k, left - 2);
		if (!native_cache_seen(u, f, caller) && !native_cache_holds(s, f, caller)) {
			u->cached.run = 0;
			u->cached.left = left - 1;
			return 0;
		}
		left--;
	}
	u->cached.left = left;
	u->end = NATIVE_FUNCTION;
	return left <= 1; /* the rule for the oldest says that it has no caller */
}

struct native_cache_context {
	struct unwind *u;
	struct native_cache *k;
};

/* Remembers frame number i of those that were found, counted from the root. Returns 0 to go on. */
static long native_cache_renew_step(__u32 i, struct native_cache_context *c)
{
	__u32 from = c->u->depth - 1 - i;
	const __u32 to = c->u->cached.run + i;
	const struct native_frame *f;

	mem_opaque(from);
	if (from >= NATIVE_DEPTH || to >= NATIVE_CACHE_DEPTH)
		return 1;
	f = &c->u->frames[from];
	if (f->place & NATIVE_UNSURE)
		return 1;
	*native_cache_at(c->k, to) = *f;
	c->k->depth = to + 1;
	return 0;
}

/* Remembers the frames that were found, on top of the remembered ones that were compared. */
static __always_inline void native_cache_renew(struct unwind *u, struct native_cache *k, __u32 space)
{
	struct native_cache_context c = { u, k };

	k->space = space;
	k->depth = u->cached.run;
	if (u->depth && u->depth <= NATIVE_DEPTH)
		bpf_loop(u->depth, native_cache_renew_step, &c, 0);
}

#endif
