/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * greenlet_links.h - whether a chain of frames leaves out shims, because greenlet has changed its links
 * (greenlet.h), in part or all of them. Native frames are found by the shims.
 */
#ifndef PYPERF_BPF_PYTHON_GREENLET_LINKS_H
#define PYPERF_BPF_PYTHON_GREENLET_LINKS_H

#include "bpf/base/loop.h"
#include "bpf/python/greenlet.h"

#define GREENLET_FRAMES 128 /* whose links are compared, from the leaf on */

struct greenlet_context {
	struct walk *w;
	const struct layout *l;
	__u64 at; /* a frame */
	__u64 sp;
	__u32 skips;
};

/*
 * Looks at one frame. Returns 0 to go on, 1 to stop. greenlet gives each frame an object, from the leaf on,
 * before it changes the link. So what is beyond a frame without one is as ever, and mostly that is the leaf.
 */
static long greenlet_callback(__u32 i, struct greenlet_context *c)
{
	const struct layout *l = c->l;
	struct walk *w = c->w;
	__u64 object = 0, previous = 0, link;
	__u8 owner = 0;

	(void)i;
	if (walk_step_late(w)) { /* what is not known is not relied on */
		c->skips = 1;
		return 1;
	}
	if (!mem_plausible(c->at) || walk_read(w, &object, sizeof(object), c->at + l->frame_object) ||
	    walk_read(w, &owner, sizeof(owner), c->at + l->frame_owner))
		return 1;
	if (!object && owner < l->owner_shim)
		return 1;
	if (walk_read(w, &previous, sizeof(previous), c->at + l->frame_previous))
		return 1;
	if (!owner) { /* that of a generator changes each time it goes on */
		link = greenlet_link(w, l, c->at, object);
		c->skips = link && link != previous && greenlet_is_near(link, c->sp);
	}
	c->at = previous;
	return c->skips != 0;
}

/*
 * Whether the chain that begins at this frame leaves out shims. That of a stack which is exposed in part may
 * end as ever. If the sample's time is up, it counts as one that does.
 */
WALK_GLOBAL int greenlet_skips_shims(struct walk *w, const struct layout *l, __u64 leaf, __u64 sp)
{
	struct greenlet_context c = { w, l, leaf, sp, 0 };

	if (!w || !l || !l->object_data)
		return 0;
	bpf_loop(GREENLET_FRAMES, greenlet_callback, &c, 0);
	return c.skips;
}

#endif
