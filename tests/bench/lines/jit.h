/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit.h - how long each instruction is as machine code of x86-64, and so where it lies: what
 * arch/x86/net/bpf_jit_comp.c of Linux 6.18 writes, and what the verifier puts in the place of a look-up in
 * an array and of bpf_loop(). The same for every machine.
 */
#ifndef PYPERF_TESTS_LINES_JIT_H
#define PYPERF_TESTS_LINES_JIT_H

#include <linux/bpf.h>

#include "tests/bench/lines/live.h"

#define JIT_ALIGNMENT 64 /* BPF_PROG_CHUNK_SIZE, of which each function has whole ones, */
#define JIT_HEADER    8	 /* ... behind a struct bpf_binary_header */

/* Registers that are r8 to r15 there: one byte more. */
static inline bool is_extended(__u8 r)
{
	return r == 5 || (r >= 7 && r <= 9);
}

static inline bool is_byte(__s64 number)
{
	return number >= -128 && number <= 127;
}

static inline __u32 size_of_number(__u8 dst, __u64 number, bool wide)
{
	const __u32 rex = is_extended(dst);

	if (!number)
		return 2 + rex;
	if (!wide || number >> 32 == 0)
		return 5 + rex;
	return (__s64)number == (__s32)number ? 7 : 10;
}

static inline __u32 size_of_shift(const struct insn *i, __u32 prefix)
{
	if (BPF_SRC(i->code) == BPF_X)
		return 5; /* BMI2 */
	return (i->imm == 1 ? 2 : 3) + prefix;
}

static inline __u32 size_of_alu(const struct insn *i)
{
	const bool wide = BPF_CLASS(i->code) == BPF_ALU64, by = BPF_SRC(i->code) == BPF_X;
	const __u32 prefix = wide || is_extended(i->dst) || (by && is_extended(i->src));

	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		return by ? 2 + prefix : size_of_number(i->dst, wide ? (__u64)(__s64)i->imm : (__u32)i->imm,
							wide);
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		return size_of_shift(i, prefix);
	case BPF_MUL:
		return (by ? 3 : is_byte(i->imm) ? 3 : 6) + prefix;
	case BPF_DIV:
	case BPF_MOD:
		return 18;
	case BPF_NEG:
	case BPF_END:
		return 2 + prefix;
	}
	if (by)
		return 2 + prefix;
	return is_byte(i->imm) ? 3 + prefix : (i->dst ? 6 : 5) + prefix;
}

static inline __u32 size_of_place(__s32 off)
{
	return is_byte(off) ? 2 : 5;
}

static inline __u32 size_of_load(const struct insn *i)
{
	const __u32 prefix = is_extended(i->dst) || is_extended(i->src);

	switch (BPF_SIZE(i->code)) {
	case BPF_DW: return 2 + size_of_place(i->off);
	case BPF_W: return 1 + prefix + size_of_place(i->off);
	}
	return 3 + size_of_place(i->off);
}

static inline __u32 size_of_store(const struct insn *i)
{
	const bool number = BPF_CLASS(i->code) == BPF_ST;
	const __u32 prefix = is_extended(i->dst) || (!number && is_extended(i->src));
	const __u32 place = size_of_place(i->off);

	switch (BPF_SIZE(i->code)) {
	case BPF_DW: return 2 + place + 4 * number;
	case BPF_W: return 1 + prefix + place + 4 * number;
	case BPF_H: return 2 + prefix + place + 2 * number;
	}
	if (number)
		return 1 + prefix + place + 1;
	return 1 + (prefix || i->src == 1 || i->src == 2) + place;
}

static inline __u32 size_of_atomic(const struct insn *i)
{
	const __u32 prefix = BPF_SIZE(i->code) == BPF_DW || is_extended(i->dst) || is_extended(i->src);

	if (i->imm == BPF_XCHG)
		return 1 + prefix + size_of_place(i->off);
	return (i->imm & BPF_FETCH ? 3 : 2) + prefix + size_of_place(i->off);
}

/* Of the helper's call: what array_map_gen_lookup(), inline_bpf_loop() and do_misc_fixups() make of it. */
static inline __u32 size_of_helper(const struct insn *i)
{
	const struct table *t;

	switch (i->imm) {
	case BPF_FUNC_map_lookup_elem:
		if (!i->calls_table)
			return 5;
		t = &image.tables[i->calls_table - 1];
		if (t->hash)
			return 5 + 5 + 4;
		return 3 + 7 + 9 + (t->value & (t->value - 1) ? 7 : 4) + 3 + 2 + 2;
	case BPF_FUNC_loop:
		return 88;
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_task_btf:
		return 17;
	case BPF_FUNC_jiffies64:
		return 14;
	}
	return 5;
}

static inline __u32 size_of_jump(int at, const struct insn *i)
{
	const bool wide = BPF_CLASS(i->code) == BPF_JMP, by = BPF_SRC(i->code) == BPF_X;
	const __u32 prefix = wide || is_extended(i->dst) || (by && is_extended(i->src));
	const __s64 way = (__s64)image.insns[i->target].at - image.insns[at].at - image.insns[at].size;
	const bool zero = !by && !i->imm && (BPF_OP(i->code) == BPF_JEQ || BPF_OP(i->code) == BPF_JNE);
	__u32 test;

	if (BPF_OP(i->code) == BPF_JA)
		return !way ? 0 : is_byte(way) ? 2 : 5;
	if (by || zero)
		test = 2 + prefix;
	else if (BPF_OP(i->code) == BPF_JSET)
		test = 6 + prefix;
	else
		test = (is_byte(i->imm) ? 3 : i->dst ? 6 : 5) + prefix;
	return test + (is_byte(way) ? 2 : 6);
}

static inline bool live_is_open(int at, const struct insn *i)
{
	return image.insns[at + 1].live && image.insns[i->target].live;
}

/* Only the one that is reached last has the end of the function; the others go there. */
static inline __u32 size_of_exit(int at)
{
	const struct function *f = &image.functions[image.insns[at].function];

	for (int k = f->first; k < at; k++)
		if (image.insns[k].live && image.insns[k].code == (BPF_JMP | BPF_EXIT))
			return 5;
	return 14; /* four registers, leave, ret and its thunk */
}

static inline __u32 size_of(int at)
{
	const struct insn *i = &image.insns[at];

	if (!i->live)
		return 0;
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: return size_of_alu(i);
	case BPF_LD: return i->what == OPERAND_PLAIN ? size_of_number(i->dst, i->value, true) : 10;
	case BPF_LDX: return size_of_load(i);
	case BPF_ST: return size_of_store(i);
	case BPF_STX: return BPF_MODE(i->code) == BPF_ATOMIC ? size_of_atomic(i) : size_of_store(i);
	}
	if (BPF_OP(i->code) == BPF_EXIT)
		return size_of_exit(at);
	if (BPF_OP(i->code) == BPF_CALL)
		return i->src == BPF_PSEUDO_CALL ? 5 : size_of_helper(i);
	if (BPF_OP(i->code) != BPF_JA && !live_is_open(at, i)) /* becomes a plain jump, or nothing */
		return image.insns[i->target].live && i->target != at + 1 ? 2 : 0;
	return size_of_jump(at, i);
}

/* endbr64, a nop of 5 bytes, push, mov, sub, four registers. */
#define JIT_PROLOGUE (4 + 5 + 1 + 3 + 7 + 7)

/* Places all functions. Jumps are long at first, and get shorter until nothing moves any more. */
static inline __u32 jit_place_once(bool *moved)
{
	__u32 at = 0;

	for (int n = 0; n < image.function_count; n++) {
		const struct function *f = &image.functions[n];

		at = (at + JIT_ALIGNMENT - 1) / JIT_ALIGNMENT * JIT_ALIGNMENT + JIT_HEADER + JIT_PROLOGUE;
		for (int k = f->first; k < f->last; k++) {
			struct insn *i = &image.insns[k];
			const __u32 size = size_of(k);

			*moved |= i->at != at || i->size != size;
			i->at = at;
			i->size = size;
			at += size;
		}
	}
	return at;
}

/* Which table each look-up is in: the one whose address was loaded last before it. */
static inline void jit_find_tables(void)
{
	int table = 0;

	for (int k = 0; k < image.insn_count; k++) {
		struct insn *i = &image.insns[k];

		if (i->what == OPERAND_TABLE)
			table = (struct table *)(unsigned long)i->value - image.tables + 1;
		if (i->code == (BPF_JMP | BPF_CALL) && i->imm == BPF_FUNC_map_lookup_elem)
			i->calls_table = table;
	}
}

static inline __u32 jit_place(void)
{
	bool moved = true;
	__u32 size = 0;

	jit_find_tables();
	for (int pass = 0; pass < 20 && moved; pass++) {
		moved = false;
		size = jit_place_once(&moved);
	}
	return size;
}

#endif
