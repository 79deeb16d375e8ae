/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_frames.h - --kernel full: the functions of the kernel that a sample was in, above the system call
 * or the function that led there. On x86-64 the kernel walks its own stack (bpf_get_stack()), from where the
 * tick interrupted it, so that neither the interrupt nor these programs are among them. On arm64
 * kernel_walk.h does.
 *
 * Only a program on a perf event is given what was interrupted. A timer's is not.
 */
#ifndef PYPERF_BPF_STACK_KERNEL_FRAMES_H
#define PYPERF_BPF_STACK_KERNEL_FRAMES_H

#include "bpf/base/mem.h"
#include "bpf/tree/position.h"

#ifdef __bpf__
#if defined(__TARGET_ARCH_arm64)
#include "bpf/stack/kernel_walk.h"
#endif

/* Whether the samples of the current task's process are wanted, as far as is known without its verdict. */
static __always_inline int kernel_is_wanted(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = task->tgid;
	const struct process *p = task->mm ? bpf_map_lookup_elem(&processes, &tgid) : NULL;

	return p && process_is_counted(p->state);
}

/* The functions that the tick has interrupted, in s->kernel.frames. How many. */
static __always_inline __u32 kernel_find(struct bpf_perf_event_data *ctx, struct scratch *s)
{
#if defined(__TARGET_ARCH_arm64)
	return kernel_walk(s, perf_pc(ctx), perf_x29(ctx), kernel_kinds_offset());
#else
	const long size = bpf_get_stack(ctx, s->kernel.frames, sizeof(s->kernel.frames), 0);

	return size > 0 ? size / sizeof(s->kernel.frames[0]) : 0;
#endif
}

/*
 * Before a tick's sample: leaves the kernel's functions in this CPU's scratch, if the tick has interrupted
 * the kernel. A sample that the tick has interrupted keeps its own.
 */
static __always_inline void kernel_read(struct bpf_perf_event_data *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s;

	s = bpf_map_lookup_elem(&scratches, &cpu);
	if (!s || s->busy)
		return;
	s->kernel.in_kernel = perf_in_kernel(ctx) && kernel_is_wanted();
	s->kernel.depth = s->kernel.in_kernel && !opt_kernel_nameless ? kernel_find(ctx, s) : 0;
}
#endif

struct kernel_context {
	struct scratch *s;
	struct cpu_stats *count;
	__u32 depth;
	__u32 full; /* there was no room */
};

/*
 * Adds frame number i, from the root. Callers are known by their return addresses: the call is the byte
 * before.
 */
static long kernel_step(__u32 i, struct kernel_context *c)
{
	__u32 at = c->depth - 1 - i;
	__u64 pc;

	mem_opaque(at);
	if (at >= KERNEL_DEPTH)
		return 1;
	pc = c->s->kernel.frames[at];
	c->full = native_intern(c->s, c->count, kernel_position(opt_kernel_base, at ? pc - 1 : pc)) != 0;
	return c->full;
}

/*
 * Goes on from s->tree.node to the kernel's functions that kernel_read() has left, which are used up by that.
 * 0, or negative if there is no room.
 */
static __always_inline int kernel_add(struct scratch *s, struct cpu_stats *count)
{
	struct kernel_context c = { s, count, s->kernel.depth, 0 };

	if (!s->kernel.in_kernel)
		return 0;
	s->kernel.in_kernel = 0;
	count->kernel_stacks++;
	count->kernel_frames += c.depth;
	if (!c.depth)
		count->kernel_missing++;
	if (c.depth > KERNEL_DEPTH) {
		c.depth = KERNEL_DEPTH;
		count->kernel_cut++;
	}
	if ((!c.depth || s->kernel.depth > KERNEL_DEPTH) && native_intern(s, count, TEXT_KERNEL))
		return -1;
	if (c.depth)
		bpf_loop(c.depth, kernel_step, &c, 0);
	return c.full ? -1 : 0;
}

#endif
