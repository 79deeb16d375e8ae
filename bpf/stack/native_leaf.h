/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_leaf.h - the native part of a sample, above its newest Python frame: the function that the program
 * counter was in, or the system call; with --native top also the functions that led there from the Python
 * frame, with --kernel full those of the kernel. The Python frames are in the tree before this begins, and
 * nothing here changes them.
 */
#ifndef PYPERF_BPF_STACK_NATIVE_LEAF_H
#define PYPERF_BPF_STACK_NATIVE_LEAF_H

#include "bpf/native/find.h"
#include "bpf/stack/kernel_frames.h"
#include "bpf/stack/native_nodes.h"

/* Adds the native frames to the tree, from the Python frame up; a marker stands for missing ones. */
static __always_inline void native_add_frames(struct scratch *s, struct cpu_stats *count,
					      struct native_cache *k)
{
	struct unwind *u = &s->unwind;

	if ((u->end != NATIVE_FUNCTION && native_intern(s, count, u->end)) || native_nodes_add(s, count, k))
		u->end = NATIVE_NO_ROOM;
}

/* The native cache of a thread of a program without Python, whose frames belong to no Python frame. */
static __always_inline struct native_cache *native_cache_alone(const struct unwind *u)
{
	if (opt_native < NATIVE_MODE_FULL || !opt_programs || u->goal != UNWIND_ALL)
		return NULL;
	return native_cache_of(u);
}

/*
 * Adds the frames of a thread that is in user mode, or that has called the kernel from there. Returns how the
 * native part ended, an enum native_end.
 */
static __always_inline __u32 native_add_user(struct scratch *s, struct cpu_stats *count,
					     struct task_struct *task)
{
	struct unwind *u = &s->unwind;
	struct native_cache *k = native_cache_alone(u);

	if (u->merge.state == MERGE_DONE) /* they are there */
		return u->end == NATIVE_FUNCTION && !u->merge.newest ? NATIVE_PYTHON : u->end;
	if (u->merge.state == MERGE_NONE) {
		if (u->cframe)
			u->object = u->cframe;
		if (u->goal == UNWIND_ADDRESS && !u->object)
			u->goal = UNWIND_NOWHERE;
		native_find(s, count, task, k);
		if (opt_native >= NATIVE_MODE_TOP && u->goal == UNWIND_NOWHERE && u->end == NATIVE_FUNCTION)
			u->end = NATIVE_INCOMPLETE;
	}
	/*
	 * These frames are on the way to the thread's first function. Most of them belong to other Python
	 * frames.
	 */
	if (u->end == NATIVE_MISMATCH && u->depth)
		u->depth = 1;
	native_add_frames(s, count, k);
	return u->end == NATIVE_FUNCTION && !u->depth && !(k && u->cached.run) ? NATIVE_PYTHON : u->end;
}

/*
 * Goes from s->tree.node, the leaf of the Python part, to the native leaf. Stays where it is when there is no
 * room. How the native part ended is counted for ticks only. Always 0; the verifier wants a check of each
 * pointer.
 */
__noinline int native_add(struct scratch *s, struct cpu_stats *count, enum event_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	const __s64 number = opt_kernel ? regs_syscall(regs) : -1;
	__u32 end = NATIVE_PYTHON;

	if (!s || !count)
		return -1;
	if (opt_native && (number < 0 || opt_native >= NATIVE_MODE_TOP))
		end = native_add_user(s, count, task);
	if (number >= 0 && end != NATIVE_NO_ROOM) {
		if (native_intern(s, count, TEXT_SYSCALLS + (number < TEXT_SYSCALLS_MAX ?
							     number : TEXT_SYSCALLS_MAX - 1)))
			end = NATIVE_NO_ROOM;
		else if (end == NATIVE_FUNCTION || end == NATIVE_PYTHON)
			end = NATIVE_SYSCALL;
	}
	if (opt_kernel == KERNEL_MODE_FULL && end != NATIVE_NO_ROOM && kernel_add(s, count))
		end = NATIVE_NO_ROOM;
	mem_opaque(end);
	if (opt_native && end < NATIVE_ENDS && event_is_tick(kind))
		count->native[end]++;
	return 0;
}

#endif
