/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intern.h - from the stack in s->walk to a node of the call tree, frame by frame, and into the thread's
 * cache. It is here and not with the tree, which knows nothing of frames.
 */
#ifndef PYPERF_BPF_PYTHON_INTERN_H
#define PYPERF_BPF_PYTHON_INTERN_H

#include "bpf/maps.h"
#include "bpf/python/code.h"
#include "bpf/python/instruction.h"
#include "bpf/tree/tree.h"

struct intern_context {
	struct scratch *s;
	struct cpu_stats *count;
	struct thread *t;
	const struct layout *l;
};

/*
 * Interns frame number i of s->walk, counted from the root. Returns 0 to go on, 1 when a table is full or the
 * time is up.
 */
static long intern_callback(__u32 i, struct intern_context *c)
{
	struct scratch *s = c->s;
	const struct layout *l = c->l;
	__u32 at = s->walk.depth - 1 - i, index = 0, instr = INSTR_UNKNOWN;
	struct frame *f;
	__u64 offset;
	int state;

	mem_opaque(at);
	if (at >= DEPTH_LIMIT)
		return 1;
	if ((i & (LATE_STEPS - 1)) == LATE_STEPS - 1 && walk_late(&s->walk)) {
		s->intern.late = 1;
		s->tree.node = 0;
		return 1;
	}
	f = &s->walk.frames[at];
	if (f->code) {
		state = code_intern(s, c->count, c->t, l, f->code, &index);
		if (state < 0) {
			s->tree.node = 0;
			return 1;
		}
		/*
		 * Its names were not sent. A cached frame is not looked up, so it must not be one: then they
		 * never were. Nor may it be one whose code object may soon be another.
		 */
		if (!state || s->code.unsettled & UNSETTLED_YOUNG)
			s->intern.remember = 0;
		if (!(state & CODE_SHIM)) {
			offset = instr_offset(s, l, f);
			if (offset < 2 * INSTR_UNKNOWN)
				instr = offset / 2;
			s->tree.node = node_intern(c->count, s->tree.bank, s->tree.home, s->tree.node, index,
						   instr, s->quota.none);
			if (!s->tree.node)
				return 1;
		}
	}
	if (s->intern.remember) {
		cache_remember(&c->t->cache, s->walk.cached.run + i, f, s->tree.node);
		s->intern.kept = i + 1;
	}
	return 0;
}

/*
 * Adds the stack in s->walk to the tree, below s->tree.node. Leaves the leaf's node there, or 0 when a table
 * is full, or the time is up. Always 0; the verifier wants a check of each pointer.
 */
__noinline int intern_stack(struct scratch *s, struct cpu_stats *count, struct thread *t,
			    const struct layout *l)
{
	struct intern_context c = { s, count, t, l };

	if (!s || !count || !t || !l)
		return -1;
	s->intern.late = 0;
	if (s->tree.node && s->walk.depth)
		bpf_loop(s->walk.depth, intern_callback, &c, 0);
	return 0;
}

#endif
