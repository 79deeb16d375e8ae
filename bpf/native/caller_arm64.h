/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller_arm64.h - caller.h on arm64.
 */
#ifndef PYPERF_BPF_NATIVE_CALLER_ARM64_H
#define PYPERF_BPF_NATIVE_CALLER_ARM64_H

#define CALLER_CONTEXT_BP ARM64_CONTEXT_BP
#define CALLER_CONTEXT_SP ARM64_CONTEXT_SP
#define CALLER_CONTEXT_PC ARM64_CONTEXT_PC

#define CALLER_LINK 30 /* the register of the return address */

/*
 * A return address without its signature: code that is built for pointer authentication signs it before it
 * goes to the stack, in the bits above those of a program's addresses. Bit 55 says whose address it is.
 */
static __always_inline __u64 caller_plain(__u64 pc)
{
	return pc & 1ULL << 55 ? pc : pc & ((1ULL << 48) - 1);
}

/* x30 of the thread, or the one that a signal's handler will give back. */
static __always_inline __u64 caller_link(struct scratch *s)
{
	__u64 value = 0;

	if (!s->unwind.context) {
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

		return regs_dwarf(regs, CALLER_LINK);
	}
	stack_word(s, s->unwind.context + ARM64_CONTEXT_LINK, &value);
	mem_opaque(value); /* or the compiler reads it, and that above, by one instruction */
	return value;
}

/* The canonical frame address by a rule; 0 if it cannot be had. */
static __always_inline __u64 caller_cfa(const struct unwind *u, __u32 rule)
{
	switch (rule_kind(rule)) {
	case RULE_SP:
		return u->sp + 8 * rule_argument(rule);
	case RULE_BP:
		return u->bp ? u->bp + 8 * rule_argument(rule) : 0;
	case RULE_PAIR:
		return u->sp + 16 * rule_pair_cfa(rule);
	}
	if (rule_which(rule) == RULE_SP_FAR)
		return u->sp + 8 * (RULE_WORDS_MAX + 1 + rule_small(rule));
	return rule_which(rule) == RULE_LINK ? u->sp + 16 * rule_small(rule) : 0;
}

/* Where the two words are, of a rule that has them; 0 if it has not. */
static __always_inline __u64 caller_pair_at(const struct unwind *u, __u32 rule, __u64 cfa)
{
	const __u32 slot = rule_slot(rule);

	if (rule_kind(rule) == RULE_PAIR)
		return u->sp + 16 * rule_pair_at(rule);
	if (rule_is(rule, RULE_LINK) || slot == RULE_SLOT_SAME || slot == RULE_SLOT_LOST)
		return 0;
	return slot == RULE_SLOT_AT_SP ? u->sp : slot == RULE_SLOT_AT_BP ? u->bp : cfa - 8 * slot;
}

/*
 * Of a function that was called, by its rule. 0, or negative if the caller cannot be found. Only a leaf has
 * the return address in x30, and may have no stack of its own.
 */
static __always_inline int caller_find(struct scratch *s, __u32 rule, struct caller *ret)
{
	const struct unwind *u = &s->unwind;
	const __u64 cfa = caller_cfa(u, rule), at = caller_pair_at(u, rule, cfa);
	__u64 bp = u->bp, pc = 0;

	if (cfa < u->sp || (cfa == u->sp && !u->exact) || !mem_plausible(cfa))
		return -1;
	if (at) {
		if (stack_word(s, at, &bp) || stack_word(s, at + 8, &pc))
			return -1;
	} else if (rule_is(rule, RULE_LINK)) {
		if (stack_word(s, cfa - 8 * rule_slot(rule), &pc))
			return -1;
	} else if (u->exact && rule_kind(rule) != RULE_PAIR && rule_slot(rule) == RULE_SLOT_SAME) {
		pc = caller_link(s);
	} else {
		return -1;
	}
	ret->bp = bp;
	ret->sp = cfa;
	ret->pc = caller_plain(pc);
	return 0;
}

/*
 * The rule for code that a compiler has made at run time. It may keep frame pointers, but these do not say
 * where the caller's stack pointer was, by which the caller's own caller is found. But the trampolines of
 * CPython's -X perf do, by what they do when the call returns: "ldp x29, x30, [sp], #16; ret".
 */
static __always_inline __u32 caller_of_made_code(__u64 pc)
{
	const __u64 load_and_ret = 0xd65f03c0a8c17bfd;
	__u64 code = 0;

	mem_read(&code, sizeof(code), pc);
	return code == load_and_ret ? rule_make(RULE_SP, 2, RULE_SLOT_AT_SP) : rule_unknown();
}

/* Where a remembered frame has its caller's x29; 0 if it is not on the stack. sp: the caller's. */
static __always_inline __u64 caller_bp_at(const struct native_frame *f, __u32 slot, __u64 sp)
{
	if (slot == RULE_SLOT_SAME || slot == RULE_SLOT_LOST)
		return 0;
	return slot == RULE_SLOT_AT_SP ? f->sp : slot == RULE_SLOT_AT_BP ? f->bp : sp - 8 * slot;
}

/* Where it has its return address. */
static __always_inline __u64 caller_pc_at(const struct native_frame *f, __u32 slot, __u64 sp)
{
	return caller_bp_at(f, slot, sp) + 8;
}

#endif
