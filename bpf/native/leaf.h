/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaf.h - the machine code that a sample was in, above its Python frame: the function by the program counter
 * in user mode, or the system call. It needs no unwinding, so it cannot harm the Python stack below it.
 */
#ifndef PYPERF_BPF_NATIVE_LEAF_H
#define PYPERF_BPF_NATIVE_LEAF_H

#include "bpf/native/text.h"
#include "bpf/tree/tree.h"

#define NATIVE_PAUSE 20 /* units of 2^20 ns, nearly ms, between two questions about one thing */

/* Asks user space for what is missing, unless it was asked within NATIVE_PAUSE. */
static __noinline void native_ask(struct scratch *s, struct cpu_stats *count, __u64 pc, __u32 stale)
{
	const struct process *p = &s->who.known;
	const __u32 about = mix((__u64)p->id << 32 | (stale ? 0 : pc >> 16)), ms = bpf_ktime_get_ns() >> 20;
	__u32 slot = about & (NATIVE_ASKED - 1);
	__u64 *last = bpf_map_lookup_elem(&native_asked, &slot);
	struct record_native e = {
		.type = RECORD_NATIVE,
		.pid = s->who.known_tgid,
		.id = p->id,
		.space = p->space,
		.pc = pc,
		.stale = stale,
	};

	if (!last || (*last >> 32 == about && ms - (__u32)*last < NATIVE_PAUSE))
		return;
	*last = (__u64)about << 32 | ms;
	if (bpf_ringbuf_output(&records, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		count->ring_full++;
}

/* Where this address of the process is; *ret is the position when that is NATIVE_FUNCTION. */
static __always_inline enum native_end native_find(struct scratch *s, struct cpu_stats *count,
						   struct task_struct *task, __u64 pc, __u64 *ret)
{
	const __u32 space = s->who.known.space, block = space & SPACE_BLOCK_MAX;
	const union text_block *b = block ? text_block_at(block) : NULL;
	const struct text_mapping *m;

	/*
	 * A mapping with code that came or went changes exec_vm. One that took another's place, with as many
	 * pages, between two samples, would not be noticed.
	 */
	if (!b || space_number(texts_generation, block) != space ||
	    b->space.exec_pages != (__u32)task->mm->exec_vm) {
		native_ask(s, count, pc, 1);
		return NATIVE_NOT_LOADED;
	}
	m = text_find_mapping(&s->text_search, block + 1, b->space.count, pc);
	if (!m)
		return NATIVE_UNKNOWN;
	if (m->text == TEXT_NOT_LOADED) {
		native_ask(s, count, pc, 0);
		return NATIVE_NOT_LOADED;
	}
	*ret = text_find_function(&s->text_search, m, pc);
	return NATIVE_FUNCTION;
}

/* Where the thread is: a position that stands for a function, a system call, or for why there is none. */
static __always_inline __u64 native_position(struct scratch *s, struct cpu_stats *count, enum native_end *end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__s64 number = regs_syscall(regs);
	__u64 position = 0;

	if (number >= 0) {
		*end = NATIVE_SYSCALL;
		return TEXT_SYSCALLS + (number < TEXT_SYSCALLS_MAX ? number : TEXT_SYSCALLS_MAX - 1);
	}
	*end = native_find(s, count, task, regs_pc(regs), &position);
	return *end == NATIVE_FUNCTION ? position : *end;
}

/*
 * Goes from s->tree.node, the leaf of what is known of Python, to its native leaf; stays there when there is
 * no room. Always 0; the verifier wants a check of each pointer.
 */
__noinline int native_leaf(struct scratch *s, struct cpu_stats *count)
{
	enum native_end end = NATIVE_NO_ROOM;
	__u64 position;
	__u32 node;

	if (!s || !count)
		return -1;
	position = native_position(s, count, &end) & ((1ULL << TEXT_BITS) - 1);
	node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node,
			   NODE_NATIVE | (__u32)(position >> INSTR_BITS), position & INSTR_UNKNOWN,
			   s->quota.none);
	if (node)
		s->tree.node = node;
	else
		end = NATIVE_NO_ROOM;
	if (end < NATIVE_ENDS)
		count->native[end]++;
	return 0;
}

#endif
