// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unwind.c - the way from a thread's registers to its first function, on a stack that is made up: each
 * kind of rule.
 */

#include "tests/forge/test.h"
#include "tests/forge/unwound.h"

TEST(by_stack_pointer)
{
	rules[1] = rule_make(RULE_SP, 5, RULE_SLOT_SAME);
	hosted_regs.pc = in_function(1);
	stack[4] = in_function(2); /* whose frame has two words */
	stack[6] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

TEST(by_frame_pointer)
{
	rules[1] = rules[2] = rule_make(RULE_BP, 2, 2);
	hosted_regs.pc = in_function(1);
	hosted_regs.bp = STACK + 8 * 10;
	stack[10] = STACK + 8 * 20;
	stack[11] = in_function(2);
	stack[21] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

TEST(by_saved_frame_pointer)
{
	rules[1] = rule_make(RULE_SP, 4, 3);
	rules[2] = rule_make(RULE_BP, 2, 2);
	hosted_regs.pc = in_function(1);
	hosted_regs.bp = 99; /* of use to nobody */
	stack[1] = STACK + 8 * 20;
	stack[3] = in_function(2);
	stack[21] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

/*
 * Code of no file keeps frame pointers, or does as the trampolines of -X perf do when a call returns. The
 * interrupted place is rounded down, a place of a return is not.
 */
TEST(by_what_was_made)
{
	static const __u8 add_and_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };

	for (int trampoline = 0; trampoline < 2; trampoline++) {
		struct unwind *u;

		memset(stack, 0, sizeof(stack));
		load();
		if (trampoline)
			memcpy(made + 0x2b, add_and_ret, sizeof(add_and_ret));
		hosted_regs.pc = MADE + 0x17;
		hosted_regs.bp = STACK + 8 * 10;
		stack[10] = STACK + 8 * 20;
		stack[11] = MADE + 0x2b;
		/* The frame after it: its own word and the return address, or a saved rbp and that. */
		stack[trampoline ? 13 : 21] = in_function(FUNCTIONS - 1);
		u = find(NULL);
		assert_int_equal(u->end, NATIVE_FUNCTION);
		assert_int_equal(u->depth, 3);
		assert_int_equal(u->frames[0].place & ((1ULL << TEXT_BITS) - 1), MADE_AT + 0x10);
		assert_int_equal(u->frames[1].place & ((1ULL << TEXT_BITS) - 1), MADE_AT + 0x2a);
		assert_int_equal(u->frames[2].pc, in_function(FUNCTIONS - 1));
	}
}

TEST(by_register_in_the_leaf)
{
	struct unwind *u;

	rules[1] = rule_make_small(RULE_REGISTER, 10, 1, 0);
	hosted_regs.pc = in_function(1);
	hosted_regs.dwarf[10] = STACK + 8 * 30;
	stack[30] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1 }, 1);
	rules[2] = rule_make(RULE_SP, 2, 0);
	hosted_regs.pc = in_function(2);
	stack[1] = in_function(1); /* not the leaf: its registers are gone */
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, 2);
}

TEST(by_realigned_stack)
{
	rules[1] = special(RULE_DEREF, 1, RULE_SLOT_AT_BP);
	rules[2] = rule_make(RULE_BP, 2, 2);
	hosted_regs.pc = in_function(1);
	hosted_regs.bp = STACK + 8 * 10;
	stack[9] = STACK + 8 * 16; /* the CFA */
	stack[10] = STACK + 8 * 40;
	stack[15] = in_function(2);
	stack[41] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

TEST(by_word_on_the_stack)
{
	rules[1] = special(RULE_DEREF_SP, 3, 0);
	hosted_regs.pc = in_function(1);
	stack[3] = STACK + 8 * 9;
	stack[9] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1 }, 1);
	rules[1] = special(RULE_DEREF_SP, -1 & RULE_SMALL_MAX, 0); /* just below the stack pointer */
	hosted_regs.sp = STACK + 8 * 4;
	expect((const __u32[]){ 1 }, 1);
}

TEST(by_plt)
{
	rules[1] = special(RULE_PLT, 11, 0);
	hosted_regs.pc = in_function(1) - 20 + 11; /* has pushed a word */
	stack[1] = in_function(FUNCTIONS - 1);
	load();
	assert_int_equal(find(NULL)->end, NATIVE_FUNCTION);
	hosted_regs.pc--;
	stack[0] = in_function(FUNCTIONS - 1);
	stack[1] = 0;
	assert_int_equal(find(NULL)->end, NATIVE_FUNCTION);
	assert_int_equal(find(NULL)->depth, 2);
}

TEST(by_signal)
{
	struct unwind *u;

	rules[1] = special(RULE_SIGNAL, 0, 0);
	rules[3] = rule_make_small(RULE_REGISTER, 3, 0, 0); /* rbx, which the context has */
	hosted_regs.pc = in_function(2);
	stack[1] = in_function(1);
	stack[2 + CONTEXT_SP / 8] = STACK + 8 * 60;
	stack[2 + CONTEXT_PC / 8] = in_function(3);
	stack[2 + (CONTEXT_REGISTERS / 8) + 11] = STACK + 8 * 64;
	stack[63] = in_function(FUNCTIONS - 1);
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_FUNCTION);
	assert_int_equal(u->depth, 4);
	assert_int_equal(u->frames[2].pc, in_function(3));
}

TEST(lost)
{
	struct unwind *u;

	rules[1] = special(RULE_UNKNOWN, 0, 0);
	hosted_regs.pc = in_function(1);
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, 1);
	hosted_regs.pc = in_function(2);
	stack[1] = 0x1234; /* no code */
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, 1);
	hosted_regs.sp = STACK - 4096; /* not in memory */
	assert_int_equal(find(NULL)->end, NATIVE_INCOMPLETE);
	hosted_regs.sp = STACK + 1; /* no stack pointer */
	assert_int_equal(find(NULL)->end, NATIVE_INCOMPLETE);
}

/* A stack that never ends ends all the same. */
TEST(ring)
{
	struct unwind *u;

	rules[1] = special(RULE_SIGNAL, 0, 0); /* whose context leads back to itself */
	hosted_regs.pc = in_function(1);
	stack[CONTEXT_SP / 8] = STACK;
	stack[CONTEXT_PC / 8] = in_function(1);
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, NATIVE_DEPTH);
}

AROUND_EACH(setup, NULL);
