/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * find.h - the native frames of the current thread, as far as they can be had.
 */
#ifndef PYPERF_BPF_NATIVE_FIND_H
#define PYPERF_BPF_NATIVE_FIND_H

#include "bpf/native/unwind.h"
#include "bpf/python/greenlet_links.h"
#include "bpf/python/thread.h"

/* With --native top and full, says where the frames of a sample are to end. */
static __always_inline void native_goal(struct scratch *s, enum unwind_goal goal)
{
	s->unwind.goal = opt_native >= NATIVE_MODE_TOP ? goal : UNWIND_NOWHERE;
	s->unwind.cframe = s->unwind.object = 0;
	s->unwind.merge.state = MERGE_NONE;
	s->unwind.merge.slot = NATIVE_CACHE_NONE;
}

/*
 * While greenlets switch, the newest shim may be left out, and the C stack be another one than the
 * CFrame's. A global function, which is no part of a tick without native frames.
 */
__noinline int native_lacks_shims(struct scratch *s, const struct layout *l, __u64 cframe, __u64 sp)
{
	__u64 leaf;

	if (!s || !l || !l->object_data)
		return 0;
	leaf = tstate_field(s, l->tstate_frame);
	if (l->has_cframe && walk_read(&s->walk, &leaf, sizeof(leaf), cframe + l->cframe_frame))
		return 0;
	return greenlet_skips_shims(&s->walk, l, leaf, sp);
}

/*
 * For a thread with Python frames: how to recognise the native frame that runs the newest of them. From 3.12
 * on it has the newest shim, which the walk finds, among its local variables; in 3.11 and 3.12 it has the
 * CFrame, which is there first. Before 3.11 each activation of the loop runs one Python frame.
 */
static __always_inline void native_goal_python(struct scratch *s, const struct layout *l, __u64 cframe)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	enum unwind_goal goal = l->root_rule == ROOT_NULL ? UNWIND_LOOP : UNWIND_ADDRESS;

	if (opt_native == NATIVE_MODE_TOP && native_lacks_shims(s, l, cframe, regs_sp(regs)))
		goal = UNWIND_NOWHERE;
	native_goal(s, goal);
	if (l->has_cframe)
		s->unwind.cframe = cframe;
}

/*
 * Makes the process's mappings ready for a search. 0, or negative: they are not known, or others by now. A
 * mapping with code that came or went changes exec_vm. One that took another's place, with as many pages,
 * between two samples, is not noticed.
 */
static __always_inline int native_mappings(struct scratch *s, struct cpu_stats *count,
					   struct task_struct *task, __u64 pc)
{
	const __u32 space = s->who.known.space, block = space & SPACE_BLOCK_MAX;
	const union text_block *b = block ? text_block_at(block) : NULL;

	if (!b || space_number(texts_edition, block) != space ||
	    b->space.exec_pages != (__u32)task->mm->exec_vm) {
		native_ask(s, count, pc, ASK_MAPPINGS);
		return -1;
	}
	s->unwind.space = block;
	s->unwind.mappings = b->space.count;
	return 0;
}

/*
 * Finds the frames in user mode, with those that are remembered if k is given. Leaves them in s->unwind, and
 * in s->unwind.end how it ended.
 */
static __always_inline void native_find(struct scratch *s, struct cpu_stats *count, struct task_struct *task,
					struct native_cache *k)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct unwind *u = &s->unwind;

	u->pc = regs_pc(regs);
	u->sp = regs_sp(regs);
	u->bp = regs_bp(regs);
	u->exact = 1;
	u->context = 0;
	u->at.start = u->at.end = 0;
	u->block.size = 0;
	u->depth = 0;
	u->steps = 0;
	u->cached.run = u->cached.left = 0;
	u->end = NATIVE_NOT_LOADED;
	if (native_mappings(s, count, task, u->pc))
		return;
	if (k && k->space == s->who.known.space)
		u->cached.left = k->depth;
	unwind_run(s, count, k);
	if (u->end != NATIVE_FUNCTION) /* what was being compared was not all as before */
		u->cached.run = 0;
}

#endif
