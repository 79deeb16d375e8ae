/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cframe.h - the CFrame of 3.11 and 3.12, which stands between a thread state and its leaf frame: one for each
 * activation of the interpreter's loop, on the C stack, linked to the one before. The interpreter links it before it
 * fills it in, so what it says is compared with what the walk finds.
 */
#ifndef PYPERF_BPF_PYTHON_CFRAME_H
#define PYPERF_BPF_PYTHON_CFRAME_H

#include "bpf/maps.h"
#include "bpf/python/thread.h"

static __always_inline __u64 cframe_word(const struct scratch *s, __u32 offset)
{
	return s->cframe[offset >> 3 & 3];
}

#define UNREADABLE_FRAME 1 /* no walk begins at such an address */

/* The leaf frame, by way of the CFrame where there is one; 0 if there is none, implausible if it cannot be read. */
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

/* 3.11, 3.12: the frame in the CFrame before, which calls into the newest activation; no address if unknown. */
static __always_inline __u64 thread_caller(struct scratch *s, const struct layout *l)
{
	__u64 older = l->has_cframe ? cframe_word(s, l->cframe_previous) : 0, frame;

	if (!mem_plausible(older) || walk_read(&s->walk, &frame, sizeof(frame), older + l->cframe_frame))
		return ~0ULL;
	return frame;
}

#define CFRAME_NEAR 1024 /* bytes between the CFrame and the entry frame of one activation of the interpreter's loop */

/*
 * 3.12: whether the leaf lies beside its own CFrame, but was not known as the entry frame there: it does not say so
 * yet, and its link is that of the last one that was there.
 */
static __always_inline int leaf_is_entry(const struct scratch *s, const struct layout *l)
{
	const struct walk *w = &s->walk;
	const __u64 leaf = cframe_word(s, l->cframe_frame), cframe = tstate_field(s, l->tstate_frame);

	return l->root_rule == ROOT_SHIM && leaf - cframe + CFRAME_NEAR < 2 * CFRAME_NEAR && w->depth &&
	       w->frames[0].code && (w->frames[0].address & ~(__u64)FRAME_SINGLE) == leaf;
}

/*
 * 3.11, 3.12: whether the leaf is a frame that is gone, of which a CFrame that is not filled in yet may still tell.
 * struct _ts: datastack_chunk, datastack_top, datastack_limit.
 */
static __always_inline int leaf_is_gone(const struct scratch *s, const struct layout *l)
{
	const __u64 top = tstate_field(s, l->tstate_chunk + 8), limit = tstate_field(s, l->tstate_chunk + 16);

	return cframe_word(s, l->cframe_frame) - top < limit - top;
}

#define TSTATE_NEAR 1024 /* bytes, of which PyThreadState takes up some 400 */

/*
 * 3.11, 3.12: what called the first frame of all is NULL, in the CFrame that is part of the thread state. There is a
 * NULL in many other places to which a CFrame that is not filled in may point.
 */
static __always_inline int caller_is_root(const struct scratch *s, const struct layout *l, const struct cache *k)
{
	return cframe_word(s, l->cframe_previous) - k->tstate < TSTATE_NEAR;
}

/*
 * Whether the CFrame bears out a chain that ended as it must. _PyEval_EvalFrameDefault() may name a frame in its CFrame
 * before it has linked it to its caller: there stands NULL then, as if it were the root, or what was there before. So the
 * newest entry on the way must be the one that was called by the frame in the CFrame before.
 */
static __always_inline int cframe_agrees(const struct scratch *s, const struct layout *l, struct cache *k)
{
	const struct walk *w = &s->walk;

	if (w->strange || leaf_is_entry(s, l) || leaf_is_gone(s, l))
		return 0;
	if (w->entered || !k || !w->run)
		return w->entered;
	return w->caller ? cache_has(k, w->run - 1, w->caller) : caller_is_root(s, l, k);
}

/*
 * 3.11, 3.12: the frame in the CFrame before, as far as a whole stack. The interpreter's loop was entered from there,
 * but what it runs is not known: all of it is lost when the loop is about to call or to suspend by itself.
 */
static __always_inline int walk_callers(struct scratch *s, const struct layout *l, __u64 chunk)
{
	struct walk *w = &s->walk;
	__u64 frame = w->caller;

	if (!mem_plausible(frame))
		return 0;
	walk_from(w, l, frame, chunk);
	return walk_is_whole(w, l, 0);
}

#endif
