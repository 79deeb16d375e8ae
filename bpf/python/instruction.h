/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * instruction.h - which instruction of its code object a frame stands at.
 */
#ifndef PYPERF_BPF_PYTHON_INSTRUCTION_H
#define PYPERF_BPF_PYTHON_INSTRUCTION_H

#include "bpf/data/maps.h"
#include "bpf/python/thread.h"
#include "bpf/python/walk.h"

#define TLBC_MAX 65536 /* copies of one bytecode: threads that ran it */

/*
 * Where the bytecode starts that a frame runs, 0 if that cannot be told. Free-threaded 3.14+ gives each
 * thread a copy of its own: entry number tlbc_index of co_tlbc, of which the first is co_code_adaptive
 * (internal/pycore_code.h).
 */
static __noinline __u64 bytecode_of_thread(struct scratch *s, const struct layout *l, struct frame *f)
{
	__u64 own, units, table, count, start;
	__s32 index = 0;

	if (!s || !l || !f)
		return 0;
	own = f->code + l->code_bytecode;
	units = search_read(s, f->code + l->code_count);
	if (f->instr - own + 2 < 2 * units + 2)
		return own;
	if (walk_read(&s->walk, &index, sizeof(index), frame_address(f) + l->frame_tlbc_index))
		return 0;
	table = search_read(s, f->code + l->code_tlbc);
	count = mem_plausible(table) ? search_read(s, table) : 0;
	if (index < 0 || (__u32)index >= count || index >= TLBC_MAX)
		return 0;
	start = search_read(s, table + 8 + 8 * (__u64)index);
	return f->instr - start < 2 * units ? start : 0;
}

/*
 * Bytes from the start of the bytecode to a frame's instruction, plus 2; in 2.7 twice as many. So half of it
 * is what a node's key holds. If it cannot be told it is larger than any key can hold.
 */
static __always_inline __u64 instr_offset(struct scratch *s, const struct layout *l, struct frame *f)
{
	__u64 start = f->code + l->code_bytecode;

	if (l->frame_lasti)
		return ((__u64)(__s32)f->instr << (l->lasti_shift & 1)) + 2; /* -1: it has not begun */
	if (l->code_tlbc)
		start = bytecode_of_thread(s, l, f);
	/*
	 * In a frame that has not begun, prev_instr (3.11, 3.12) is one code unit before the bytecode: hence
	 * plus 2.
	 */
	return f->instr - start + 2;
}

#endif
