/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller_x86.h - caller.h on x86-64.
 */
#ifndef PYPERF_BPF_NATIVE_CALLER_X86_H
#define PYPERF_BPF_NATIVE_CALLER_X86_H

#define CALLER_CONTEXT_BP CONTEXT_BP
#define CALLER_CONTEXT_SP CONTEXT_SP
#define CALLER_CONTEXT_PC CONTEXT_PC

/* A PLT entry has 16 bytes; from some byte on it has pushed a word (RULE_PLT). */
#define PLT_ENTRY 16

/* A register of the thread, or the one that a signal's handler will give back, by its DWARF number. */
static __always_inline __u64 caller_register(struct scratch *s, __u32 number)
{
	/* Where in a ucontext each is, from 0 to 15, in 4 bits: asm/sigcontext.h has r8 to r15 first. */
	const __u64 places = 0x76543210fa98bced;
	__u64 value = 0;

	if (!s->unwind.context) {
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

		return regs_dwarf(regs, number);
	}
	number = places >> 4 * (number & 15) & 15;
	stack_word(s, s->unwind.context + CONTEXT_REGISTERS + 8 * number, &value);
	mem_opaque(value); /* or the compiler reads it, and those above, by one instruction */
	return value;
}

/* The canonical frame address by a rule; 0 if it cannot be had. */
static __always_inline __u64 caller_cfa(struct scratch *s, __u32 rule)
{
	struct unwind *u = &s->unwind;
	const __u32 words = rule_argument(rule), which = rule_which(rule), small = rule_small(rule);
	__u64 cfa = 0;

	switch (rule_kind(rule)) {
	case RULE_SP:
		return u->sp + 8 * words;
	case RULE_BP:
		return u->bp ? u->bp + 8 * words : 0;
	case RULE_REGISTER:
		return u->exact ? caller_register(s, which) + 8 * small : 0;
	}
	if (which == RULE_PLT)
		return u->sp + 8 + 8 * ((u->pc & (PLT_ENTRY - 1)) >= small);
	if (which == RULE_SP_FAR)
		return u->sp + 8 * (RULE_WORDS_MAX + 1 + small);
	if (which == RULE_DEREF && u->bp)
		stack_word(s, u->bp - 8 * small, &cfa);
	if (which == RULE_DEREF_SP && !stack_word(s, u->sp + 8 * rule_signed(words), &cfa))
		cfa += 8;
	return cfa;
}

/* The caller's rbp, once the CFA is known; 0 = not known. */
static __always_inline __u64 caller_bp(struct scratch *s, __u64 cfa, __u32 slot)
{
	__u64 bp = 0;

	if (slot == RULE_SLOT_SAME)
		return s->unwind.bp;
	if (slot == RULE_SLOT_LOST)
		return 0;
	stack_word(s, slot == RULE_SLOT_AT_BP ? s->unwind.bp : cfa - 8 * slot, &bp);
	return bp;
}

/* Of a function that was called, by its rule. 0, or negative if the caller cannot be found. */
static __always_inline int caller_find(struct scratch *s, __u32 rule, struct caller *ret)
{
	const __u64 cfa = caller_cfa(s, rule);

	if (cfa <= s->unwind.sp || !mem_plausible(cfa))
		return -1;
	ret->bp = caller_bp(s, cfa, rule_slot(rule)); /* lies below the return address */
	ret->sp = cfa;
	return stack_word(s, cfa - 8, &ret->pc);
}

/*
 * The rule for code that a compiler has made at run time: it keeps frame pointers, if anything. But the
 * trampolines of CPython's -X perf do not (up to 3.14). What they do when the call returns is "add $8,%rsp;
 * ret", and wherever that comes next it says where the caller is.
 */
static __always_inline __u32 caller_of_made_code(__u64 pc)
{
	const __u64 add_and_ret = 0xc308c48348;
	__u64 code = 0;

	mem_read(&code, sizeof(code), pc);
	if ((code & 0xffffffffff) == add_and_ret)
		return rule_make(RULE_SP, 2, RULE_SLOT_SAME);
	return rule_make(RULE_BP, 2, 2);
}

/* A frame's return address, as it is on the stack. */
static __always_inline __u64 caller_plain(__u64 pc)
{
	return pc;
}

/* Where a remembered frame has its caller's rbp; 0 if it is not on the stack. sp: the caller's. */
static __always_inline __u64 caller_bp_at(const struct native_frame *f, __u32 slot, __u64 sp)
{
	if (slot == RULE_SLOT_SAME || slot == RULE_SLOT_LOST)
		return 0;
	return slot == RULE_SLOT_AT_BP ? f->bp : sp - 8 * slot;
}

/* Where it has its return address. */
static __always_inline __u64 caller_pc_at(const struct native_frame *f, __u32 slot, __u64 sp)
{
	(void)f;
	(void)slot;
	return sp - 8;
}

#endif
