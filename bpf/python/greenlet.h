/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * greenlet.h - the chain of frames while greenlets switch, 3.12 and later. The part of the C stack that a
 * greenlet runs on is moved away while others run, with the shims in it. So before it switches, the library
 * links the Python frames of who leaves past their shims, and ends the chain at the outermost of them
 * (Greenlet::expose_frames(), src/greenlet/TGreenlet.cpp, since 3.0). That chain has all Python frames, but
 * does not end as one of this version does. It is proved by what the library keeps to undo it: the link that
 * it took away, to the outermost shim, is in the frame's own object, where CPython has a frame that has
 * ended.
 */
#ifndef PYPERF_BPF_PYTHON_GREENLET_H
#define PYPERF_BPF_PYTHON_GREENLET_H

#include "bpf/python/walk.h"

/* How far a thread's outermost shim may be from its stack pointer: larger stacks are rare. */
#define GREENLET_STACK (64ULL << 20)

/* Whether the walk ended at a frame of Python code, as it may while greenlets switch. */
static __always_inline int greenlet_is_likely(const struct walk *w, const struct layout *l)
{
	return l->object_data && w->end == WALK_ROOT && w->last && !w->last_owner;
}

/*
 * The link to its caller that a frame had before greenlet changed it; 0 if the frame has no object where that
 * would be. A frame that was never exposed may have anything there.
 */
static __always_inline __u64 greenlet_link(struct walk *w, const struct layout *l, __u64 at, __u64 object)
{
	__u64 frame = 0, link = 0;

	if (!mem_plausible(object) || walk_read(w, &frame, sizeof(frame), object + l->object_frame) ||
	    frame != at || walk_read(w, &link, sizeof(link), object + l->object_data))
		return 0;
	return mem_plausible(link) ? link : 0;
}

/* Whether a link leads into the thread's C stack. */
static __always_inline int greenlet_is_near(__u64 link, __u64 sp)
{
	return sp && link - sp + GREENLET_STACK < 2 * GREENLET_STACK;
}

/* Whether a link that was taken away leads to an outermost shim. */
static __always_inline int greenlet_is_shim(struct walk *w, const struct layout *l, __u64 link, __u64 sp)
{
	__u64 previous = ~0ULL;
	__u8 owner = 0;

	if (!link)
		return 0;
	/* It may be moved away already, and anything be in its place. */
	if (greenlet_is_near(link, sp))
		return 1;
	if (walk_read(w, &previous, sizeof(previous), link + l->frame_previous) ||
	    walk_read(w, &owner, sizeof(owner), link + l->frame_owner))
		return 0;
	return !previous && owner >= l->owner_shim;
}

/*
 * Whether the last frame, of a walk for which this is likely, is the outermost Python frame of a stack whose
 * shims were left out. sp: the thread's stack pointer, in user mode; 0 = not known.
 */
WALK_GLOBAL int greenlet_is_exposed(struct walk *w, const struct layout *l, __u64 sp)
{
	__u64 object = 0;

	if (!w || !l || walk_read(w, &object, sizeof(object), w->last + l->frame_object))
		return 0;
	return greenlet_is_shim(w, l, greenlet_link(w, l, w->last, object), sp);
}

#endif
