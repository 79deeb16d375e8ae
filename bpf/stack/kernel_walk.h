/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_walk.h - the kernel's callers on arm64, by their frame records. The kernel is always built with them
 * there: x29 leads to two words, the caller's x29 and the address that it returns to.
 *
 * The kernel's own walk (bpf_get_stack()) is not asked: on a distribution's kernel it has read where nothing
 * is mapped, which stops the machine (docs/internals/native.md). Here each record is read by a helper that
 * fails in place of that. So whatever the registers and the stack hold, all that can come of it is a function
 * too few, or a wrong one.
 */
#ifndef PYPERF_BPF_STACK_KERNEL_WALK_H
#define PYPERF_BPF_STACK_KERNEL_WALK_H

#include "bpf/base/mem.h"
#include "bpf/data/scratch.h"

/* That one walk changes to: of interrupts, of what cannot be masked, of a task. */
#define KERNEL_STACKS	 3
#define KERNEL_KIND_REGS 2	  /* FRAME_META_TYPE_PT_REGS (asm/stacktrace/frame.h) */
#define KERNEL_REGS_X29	 (29 * 8) /* in struct pt_regs, which begins with what ptrace() shows */

struct kernel_record {
	__u64 x29, x30;
};

struct kernel_regs { /* from KERNEL_REGS_X29 on */
	__u64 x29, x30, sp, pc;
};

struct kernel_walk {
	struct scratch *s;
	__u64 x29;
	__u32 depth;
	__u32 stacks;	    /* that were changed to */
	__u32 kinds_offset; /* of the record in struct pt_regs; 0 = records have no kinds here */
	__u32 pad;
};

/* Reads size bytes of the kernel's memory. 0, or negative if nothing is there. */
#ifdef __bpf__
static __always_inline int kernel_mem_read(void *dst, __u32 size, __u64 address)
{
	return bpf_probe_read_kernel(dst, size, (const void *)address);
}
#else
static int kernel_mem_read(void *dst, __u32 size, __u64 address);
#endif

/* The upper half of the address space is the kernel's. */
static __always_inline int kernel_may_be_there(__u64 address)
{
	return address >> 63 && !(address & 7);
}

static __always_inline void kernel_keep(struct kernel_walk *w, __u64 pc)
{
	__u32 at = w->depth;

	mem_opaque(at);
	if (at > KERNEL_DEPTH)
		return;
	w->s->kernel.frames[at] = pc;
	w->depth = at + 1;
}

/*
 * A record of two zeros. Up to Linux 6.12 it is the last one. Since then a third word is its kind (struct
 * frame_record_meta); that word may not be there behind any other record, which may end a stack.
 */
static __always_inline int kernel_read_regs(struct kernel_walk *w, struct kernel_regs *regs)
{
	__u64 kind = 0;

	if (!w->kinds_offset || kernel_mem_read(&kind, sizeof(kind), w->x29 + sizeof(struct kernel_record)) ||
	    kind != KERNEL_KIND_REGS)
		return -1;
	return kernel_mem_read(regs, sizeof(*regs), w->x29 - w->kinds_offset + KERNEL_REGS_X29);
}

/*
 * One record. Return addresses may be signed, in the bits above those of an address, which are ones in the
 * kernel's. Within the kernel an exception leaves a record, too: up to 6.12 with the address that it has
 * interrupted, since then of KERNEL_KIND_REGS. One more than that address is kept, as it is no caller's, of
 * which the byte before is looked up. 1 at the end.
 */
static long kernel_record(__u32 i, struct kernel_walk *w)
{
	struct kernel_record record = { 0 };
	struct kernel_regs regs = { 0 };
	__u64 next, pc;

	(void)i;
	if (!kernel_may_be_there(w->x29) || kernel_mem_read(&record, sizeof(record), w->x29))
		return 1;
	next = record.x29;
	pc = record.x30 | ~0ULL << 48;
	if (!record.x29 && !record.x30) {
		if (kernel_read_regs(w, &regs))
			return 1;
		next = regs.x29;
		pc = regs.pc + 1;
	}
	if (next <= w->x29 && w->stacks++ == KERNEL_STACKS)
		return 1;
	kernel_keep(w, pc);
	w->x29 = next;
	return 0;
}

/*
 * Leaves in s->kernel.frames, leaf first, the interrupted pc and its callers. Returns how many. The caller of
 * a function that keeps no record, or has not made it yet, is not among them: its return address is in x30
 * alone, and x30 is of something else once another function has been called.
 */
static __always_inline __u32 kernel_walk(struct scratch *s, __u64 pc, __u64 x29, __u32 kinds_offset)
{
	struct kernel_walk w = { .s = s, .x29 = x29, .kinds_offset = kinds_offset };

	kernel_keep(&w, pc);
	bpf_loop(KERNEL_DEPTH, kernel_record, &w, 0);
	return w.depth;
}

#endif
