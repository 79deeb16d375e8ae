/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intern.h - from the stack in s->walk to a node of the call tree, frame by frame, and into the thread's cache.
 */
#ifndef PYPERF_BPF_PYTHON_INTERN_H
#define PYPERF_BPF_PYTHON_INTERN_H

#include "bpf/maps.h"
#include "bpf/python/code.h"
#include "bpf/python/instruction.h"
#include "bpf/tree/tree.h"

struct intern_context {
	struct scratch *s;
	struct cpu_stats *stats;
	struct thread *t;
	const struct layout *l;
};

/* One frame of s->walk, from the root side to the leaf; 1 when a table is full. */
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
	f = &s->walk.frames[at];
	if (f->code) {
		state = code_intern(s, c->stats, c->t, l, f->code, &index);
		if (state < 0) {
			s->node = 0;
			return 1;
		}
		/* Its names are not sent yet: it, and what stands on it, must be met again. */
		if (!state)
			s->remember = 0;
		if (!(state & CODE_SHIM)) {
			offset = instr_offset(s, l, f);
			if (offset < 2 * INSTR_UNKNOWN)
				instr = offset / 2;
			s->node = node_intern(c->stats, s->bank, s->home, s->node, index, instr);
			if (!s->node)
				return 1;
		}
	}
	if (s->remember) {
		cache_remember(&c->t->cache, s->walk.run + i, f, s->node);
		s->kept = i + 1;
	}
	return 0;
}

/*
 * Adds the stack in s->walk to the tree, below s->node. Leaves the leaf's node there, 0 when a table is full.
 */
__noinline int intern_stack(struct scratch *s, struct cpu_stats *stats, struct thread *t, const struct layout *l)
{
	struct intern_context c = { s, stats, t, l };

	if (!s || !stats || !t || !l)
		return -1;
	if (s->node && s->walk.depth)
		bpf_loop(s->walk.depth, intern_callback, &c, 0);
	return 0;
}

#endif
