/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cframe.h - the CFrame of 3.11 and 3.12, which stands between a thread state and its leaf frame. Each
 * activation of the interpreter's loop has one on the C stack, which is linked to the one before.
 * _PyEval_EvalFrameDefault() links its CFrame before it fills it in. So what a CFrame says may be garbage, or
 * of an earlier call, and is compared with what the walk finds.
 */
#ifndef PYPERF_BPF_PYTHON_CFRAME_H
#define PYPERF_BPF_PYTHON_CFRAME_H

#include "bpf/data/maps.h"
#include "bpf/python/cache.h"
#include "bpf/python/thread.h"

/* A field of the thread's newest CFrame, once thread_frame() has read it. */
static __always_inline __u64 cframe_word(const struct scratch *s, __u32 offset)
{
	return s->cframe[offset >> 3 & 3];
}

#define UNREADABLE_FRAME 1 /* an address at which no walk begins */

/*
 * The leaf frame, by way of the CFrame where there is one. 0 if there is none; an address that is not
 * plausible if the CFrame has none or cannot be read.
 */
static __always_inline __u64 thread_frame(struct scratch *s, const struct layout *l)
{
	__u64 frame = tstate_field(s, l->tstate_frame);

	if (!l->has_cframe)
		return frame;
	s->cframe[0] = s->cframe[1] = s->cframe[2] = 0;
	if (!mem_plausible(frame))
		return frame;
	if (walk_read(&s->walk, s->cframe, sizeof(s->cframe), frame))
		return UNREADABLE_FRAME;
	return cframe_word(s, l->cframe_frame);
}

/* That frame, once thread_frame() was called. */
static __always_inline __u64 thread_leaf(const struct scratch *s, const struct layout *l)
{
	return l->has_cframe ? cframe_word(s, l->cframe_frame) : tstate_field(s, l->tstate_frame);
}

/*
 * The frame that called into the newest activation of the loop, from the CFrame before the newest. 0 if
 * nothing did, an impossible address if it is unknown, as in the versions that have no CFrame.
 */
static __always_inline __u64 thread_caller(struct scratch *s, const struct layout *l)
{
	__u64 older = l->has_cframe ? cframe_word(s, l->cframe_previous) : 0, frame;

	if (!mem_plausible(older) || walk_read(&s->walk, &frame, sizeof(frame), older + l->cframe_frame))
		return ~0ULL;
	return frame;
}

#define CFRAME_NEAR 1024 /* bytes, at most, between the CFrame and the entry frame of one activation */

/*
 * 3.12: whether the leaf is the entry frame of the newest activation, half made. Such a frame lies on the C
 * stack beside its CFrame. If the walk has taken it for a frame of Python code, its owner is not written yet,
 * and its link to its caller is still that of the entry frame that was in this place before.
 */
static __always_inline int leaf_is_entry(const struct scratch *s, const struct layout *l)
{
	const struct walk *w = &s->walk;
	const __u64 leaf = cframe_word(s, l->cframe_frame), cframe = tstate_field(s, l->tstate_frame);

	return l->root_rule == ROOT_SHIM && leaf - cframe + CFRAME_NEAR < 2 * CFRAME_NEAR && w->depth &&
	       w->frames[0].code && frame_address(&w->frames[0]) == leaf;
}

/*
 * Whether the leaf is a frame that is gone: it lies above the top of the data stack. A CFrame that is not
 * filled in yet may still name it. struct _ts has datastack_chunk, datastack_top, datastack_limit, one after
 * the other.
 */
static __always_inline int leaf_is_gone(const struct scratch *s, const struct layout *l)
{
	const __u64 top = tstate_field(s, l->tstate_chunk + 8), limit = tstate_field(s, l->tstate_chunk + 16);

	return cframe_word(s, l->cframe_frame) - top < limit - top;
}

/*
 * Whether the CFrame before the newest is the first of all, which is a part of the thread state. Only that
 * one may name no frame: a CFrame that is not filled in may point to any of the many places where a NULL
 * stands.
 */
static __always_inline int caller_is_root(const struct scratch *s, const struct layout *l,
					  const struct cache *k)
{
	return cframe_word(s, l->cframe_previous) - k->tstate < TSTATE_NEAR;
}

/*
 * Whether the CFrame agrees with a chain that ended as it must, on top of the cached callers if k is given.
 * _PyEval_EvalFrameDefault() may name a frame in its CFrame before it has linked the frame to its caller. The
 * link is NULL then, as if this were the root, or what was in this place before. So the newest entry frame on
 * the way must be the one that was called by the frame in the CFrame before. Where the loop was not entered
 * at all, all frames are of compiled code.
 */
static __always_inline int cframe_agrees(struct scratch *s, const struct layout *l, struct cache *k)
{
	struct walk *w = &s->walk;

	if (w->entry.strange || leaf_is_entry(s, l) || leaf_is_gone(s, l))
		return 0;
	if (cframe_is_first(s, l))
		return walk_is_compiled(w, l);
	if (w->entry.entered || !k || !w->cached.run)
		return w->entry.entered;
	return w->entry.caller ? cache_has(k, w->cached.run - 1, w->entry.caller) : caller_is_root(s, l, k);
}

/*
 * Walks from the frame in the CFrame before, and says whether it is a whole stack. The loop was entered from
 * that frame. What the newest activation runs is not in it: that is not known while its CFrame is not to be
 * trusted.
 */
static __always_inline int walk_callers(struct scratch *s, const struct layout *l, __u64 chunk)
{
	struct walk *w = &s->walk;
	__u64 frame = w->entry.caller;

	if (!mem_plausible(frame))
		return 0;
	walk_from(w, l, frame, chunk);
	return walk_is_whole(w, l, 0);
}

#endif
