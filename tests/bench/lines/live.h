/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - which instructions the kernel keeps. Options are constants of a frozen map: the verifier knows
 * their values and takes out what they make unreachable. This follows them the same way, through registers
 * and what is kept of them on the stack.
 */
#ifndef PYPERF_TESTS_LINES_LIVE_H
#define PYPERF_TESTS_LINES_LIVE_H

#include "tests/bench/lines/image.h"

#define SLOTS 64 /* words of a function's stack */

enum known { NOT_REACHED, KNOWN, UNKNOWN };

struct value {
	enum known known;
	__u64 number;
};

struct knowledge {
	bool reached;
	struct value words[11 + SLOTS]; /* registers, and the stack from its top down */
};

static struct knowledge live_states[INSNS_MAX];
static int live_work[INSNS_MAX * 4], live_count;

static inline __u64 alu(__u8 operation, __u64 a, __u64 b, bool wide)
{
	const __u32 mask = wide ? 63 : 31;

	switch (operation) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b ? a / b : 0;
	case BPF_MOD: return b ? a % b : a;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & mask);
	case BPF_RSH: return a >> (b & mask);
	case BPF_ARSH: return wide ? (__u64)((__s64)a >> (b & mask)) : (__u32)((__s32)a >> (b & mask));
	case BPF_NEG: return -a;
	case BPF_MOV: return b;
	}
	die("an operation that is not known: %#x", operation);
}

static inline __u64 alu_of(__u8 code, __u64 a, __u64 b)
{
	const bool wide = BPF_CLASS(code) == BPF_ALU64;

	return wide ? alu(BPF_OP(code), a, b, true) :
		      (__u32)alu(BPF_OP(code), (__u32)a, (__u32)b, false);
}

static inline bool jumps(__u8 code, __u64 a, __u64 b)
{
	const bool wide = BPF_CLASS(code) == BPF_JMP;
	const __s64 x = wide ? (__s64)a : (__s32)a, y = wide ? (__s64)b : (__s32)b;

	if (!wide) {
		a = (__u32)a;
		b = (__u32)b;
	}
	switch (BPF_OP(code)) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return a & b;
	case BPF_JSGT: return x > y;
	case BPF_JSGE: return x >= y;
	case BPF_JSLT: return x < y;
	case BPF_JSLE: return x <= y;
	}
	die("a jump that is not known: %#x", code);
}

static inline __u64 load_bytes(__u64 address, __u8 size)
{
	__u64 value = 0;

	memcpy(&value, (const void *)(unsigned long)address,
	       size == BPF_DW ? 8 : size == BPF_W ? 4 : size == BPF_H ? 2 : 1);
	return value;
}

/* The options at this address, if it is one of theirs. */
static inline bool is_constant(__u64 address)
{
	for (int i = 0; i < image.table_count; i++) {
		const struct table *t = &image.tables[i];

		if (t->read_only && address - (unsigned long)t->memory < t->size)
			return true;
	}
	return false;
}

static inline struct value live_operand(const struct knowledge *s, const struct insn *i)
{
	return BPF_SRC(i->code) == BPF_X ? s->words[i->src] :
					   (struct value){ KNOWN, (__u64)(__s64)i->imm };
}

static inline struct value *live_slot(struct knowledge *s, __s16 off)
{
	return off < 0 && off % 8 == 0 && -off / 8 <= SLOTS ? &s->words[10 - off / 8] : NULL;
}

static inline void live_load(struct knowledge *s, const struct insn *i)
{
	const struct value from = s->words[i->src];
	const struct value *slot = i->src == 10 ? live_slot(s, i->off) : NULL;
	struct value to = { UNKNOWN, 0 };

	if (slot && slot->known == KNOWN) {
		to = *slot;
		if (BPF_SIZE(i->code) == BPF_W)
			to.number = (__u32)to.number;
		else if (BPF_SIZE(i->code) != BPF_DW)
			to.known = UNKNOWN;
	} else if (from.known == KNOWN && is_constant(from.number + i->off)) {
		to = (struct value){ KNOWN, load_bytes(from.number + i->off, BPF_SIZE(i->code)) };
	}
	s->words[i->dst] = to;
}

static inline void live_store(struct knowledge *s, const struct insn *i)
{
	struct value *slot = i->dst == 10 ? live_slot(s, i->off & ~7) : NULL;

	if (!slot)
		return;
	*slot = (struct value){ UNKNOWN, 0 };
	if (i->code == (BPF_STX | BPF_MEM | BPF_DW) || i->code == (BPF_STX | BPF_MEM | BPF_W))
		if (i->off % 8 == 0)
			*slot = s->words[i->src];
}

/* After a call: the words of the stack of which an address was made may have been written. */
static inline void live_forget(struct knowledge *s, const struct function *f)
{
	for (int k = f->first + 1; k < f->last; k++) {
		const struct insn *i = &image.insns[k];
		struct value *slot;

		if (i->code != (BPF_ALU64 | BPF_ADD | BPF_K) || i[-1].src != 10 ||
		    i[-1].code != (BPF_ALU64 | BPF_MOV | BPF_X))
			continue;
		slot = live_slot(s, i->imm & ~7);
		if (slot)
			*slot = (struct value){ UNKNOWN, 0 };
	}
}

/* What is known behind an instruction that is no jump. */
static inline void live_step(struct knowledge *s, const struct insn *i)
{
	const struct value unknown = { UNKNOWN, 0 };
	struct value operand;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		operand = live_operand(s, i);
		if (BPF_OP(i->code) == BPF_END || operand.known != KNOWN ||
		    (BPF_OP(i->code) != BPF_MOV && s->words[i->dst].known != KNOWN))
			s->words[i->dst] = unknown;
		else
			s->words[i->dst] = (struct value){
				KNOWN, alu_of(i->code, s->words[i->dst].number, operand.number) };
		break;
	case BPF_LD:
		s->words[i->dst] = i->what == OPERAND_TABLE || i->what == OPERAND_FUNCTION ?
					   unknown : (struct value){ KNOWN, i->value };
		break;
	case BPF_LDX:
		live_load(s, i);
		break;
	case BPF_ST:
	case BPF_STX:
		live_store(s, i);
		if (BPF_MODE(i->code) == BPF_ATOMIC && i->imm & BPF_FETCH)
			s->words[i->imm == BPF_CMPXCHG ? 0 : i->src] = unknown;
		break;
	case BPF_JMP: /* a call */
		for (int r = 0; r < 6; r++)
			s->words[r] = unknown;
		live_forget(s, &image.functions[i->function]);
	}
}

/* Another way leads to an instruction: what is known there is what both ways agree on. */
static inline void live_reach(int at, const struct knowledge *from)
{
	struct knowledge *to = &live_states[at];
	bool changed = !to->reached;

	to->reached = true;
	for (int i = 0; i < 11 + SLOTS; i++) {
		const struct value *a = &from->words[i];
		struct value *b = &to->words[i];

		if (b->known == UNKNOWN || (b->known == KNOWN && a->known == KNOWN && a->number == b->number))
			continue;
		if (b->known == NOT_REACHED && a->known == NOT_REACHED)
			continue;
		*b = b->known == NOT_REACHED ? *a : (struct value){ UNKNOWN, 0 };
		changed = true;
	}
	if (changed && live_count < (int)(sizeof(live_work) / sizeof(*live_work)))
		live_work[live_count++] = at;
}

static inline void live_enter(int function)
{
	struct knowledge s = { .reached = true };

	for (int i = 0; i < 11 + SLOTS; i++)
		s.words[i].known = UNKNOWN;
	live_reach(image.functions[function].first, &s);
}

static inline void live_jump(int at, const struct insn *i, const struct knowledge *s)
{
	const struct value a = s->words[i->dst], b = live_operand(s, i);
	const bool always = BPF_OP(i->code) == BPF_JA, both = a.known != KNOWN || b.known != KNOWN;

	if (always || both || jumps(i->code, a.number, b.number))
		live_reach(i->target, s);
	if (!always && (both || !jumps(i->code, a.number, b.number)))
		live_reach(at + 1, s);
}

static inline void live_follow(int at)
{
	struct insn *i = &image.insns[at];
	struct knowledge s = live_states[at];
	const __u8 class = BPF_CLASS(i->code);
	const bool call = i->code == (BPF_JMP | BPF_CALL);

	i->live = true;
	if (i->code == (BPF_JMP | BPF_EXIT))
		return;
	if (call && i->src == BPF_PSEUDO_CALL)
		live_enter(i->target);
	if ((class == BPF_JMP || class == BPF_JMP32) && !call) {
		live_jump(at, i, &s);
		return;
	}
	if (class == BPF_LD && i->what == OPERAND_FUNCTION)
		live_enter((int)i->value);
	live_step(&s, i);
	live_reach(at + (class == BPF_LD ? 2 : 1), &s);
}

static inline void live_find(void)
{
	live_enter(0);
	while (live_count)
		live_follow(live_work[--live_count]);
}

#endif
