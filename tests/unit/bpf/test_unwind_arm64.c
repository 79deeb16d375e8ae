// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unwind_arm64.c - the way from a thread's registers to its first function by the rules of arm64, on a
 * stack that is made up: each kind of rule, and what is remembered of it.
 */

#define NATIVE_ARM64 1
#include "tests/forge/test.h"
#include "tests/forge/unwound.h"

#define PAIR(words) rule_make(RULE_SP, words, RULE_SLOT_AT_SP)
#define LEAF	    rule_make(RULE_SP, 0, RULE_SLOT_SAME)
#define ROOT	    in_function(FUNCTIONS - 1)
#define SIGNATURE   (0x2bULL << 48)

static struct native_cache cache;

static int begin(void **state)
{
	int err = setup(state);

	for (__u32 i = 0; i < FUNCTIONS - 1; i++)
		rules[i] = PAIR(2);
	memset(&cache, 0, sizeof(cache));
	return err;
}

/* x29 and x30 in two words. */
static void keep(__u32 at, __u64 x29, __u64 x30)
{
	stack[at] = x29;
	stack[at + 1] = x30;
}

TEST(a_leaf)
{
	rules[1] = LEAF;
	hosted_regs.pc = in_function(1);
	hosted_regs.dwarf[30] = in_function(2);
	keep(0, 0, ROOT);
	expect((const __u32[]){ 1, 2 }, 2);
	rules[1] = rule_make(RULE_SP, 4, RULE_SLOT_SAME); /* with a stack of its own */
	keep(0, 0, 0);
	keep(4, 0, ROOT);
	expect((const __u32[]){ 1, 2 }, 2);
}

/* Where a call is under way the return address is on the stack, or nowhere. */
TEST(no_leaf)
{
	struct unwind *u;

	rules[2] = LEAF;
	hosted_regs.pc = in_function(1);
	hosted_regs.dwarf[30] = ROOT;
	keep(0, 0, in_function(2));
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, 2);
	rules[2] = rule_make(RULE_SP, 4, RULE_SLOT_LOST);
	load();
	assert_int_equal(find(NULL)->end, NATIVE_INCOMPLETE);
}

TEST(pairs)
{
	rules[1] = PAIR(6);
	rules[2] = rule_make(RULE_SP, 8, 2); /* at the top */
	rules[3] = rule_make_pair(4, 1);     /* in between: 8 words, at 2 */
	rules[4] = rule_make(RULE_BP, 10, RULE_SLOT_AT_BP);
	rules[5] = rule_make(RULE_BP, 4, 3);
	rules[6] = special(RULE_SP_FAR, 0, RULE_SLOT_AT_SP);
	hosted_regs.pc = in_function(1);
	keep(0, 99, in_function(2));
	keep(6 + 6, 98, in_function(3));
	keep(14 + 2, STACK + 8 * 26, in_function(4)); /* its stack begins at 22 */
	keep(26, STACK + 8 * 40, in_function(5));
	keep(44 - 3, 97, ROOT);
	expect((const __u32[]){ 1, 2, 3, 4, 5 }, 5);
	hosted_regs.pc = in_function(6); /* its stack ends far behind */
	load();
	assert_int_equal(find(NULL)->depth, 2);
	assert_int_equal(hosted.scratch->unwind.frames[1].sp, STACK + 8 * (RULE_WORDS_MAX + 1));
}

TEST(x30_alone)
{
	rules[1] = special(RULE_LINK, 3, 4); /* 6 words */
	rules[2] = rule_make(RULE_BP, 2, RULE_SLOT_AT_BP);
	hosted_regs.pc = in_function(1);
	hosted_regs.bp = STACK + 8 * 20;
	stack[2] = in_function(2);
	keep(20, 0, ROOT);
	expect((const __u32[]){ 1, 2 }, 2);
}

/* Addresses of programs have 48 bits; what is signed has a code above them. The kernel's are not taken. */
TEST(signed_addresses)
{
	rules[1] = LEAF;
	hosted_regs.pc = in_function(1);
	hosted_regs.dwarf[30] = SIGNATURE | in_function(2);
	keep(0, 0, SIGNATURE << 3 | 1ULL << 62 | in_function(3));
	keep(2, 0, ROOT);
	expect((const __u32[]){ 1, 2, 3 }, 3);
	hosted_regs.dwarf[30] = ~0ULL << 48 | in_function(2);
	load();
	assert_int_equal(find(NULL)->end, NATIVE_INCOMPLETE);
}

/* As the kernel makes the frame: a struct siginfo, and behind it the registers. */
TEST(a_signal)
{
	struct unwind *u;

	rules[1] = special(RULE_SIGNAL, 0, 0);
	rules[3] = LEAF;
	hosted_regs.pc = in_function(2);
	hosted_regs.dwarf[30] = 1;
	keep(0, 0, in_function(1));
	stack[2 + ARM64_CONTEXT_SP / 8] = STACK + 8 * 100;
	stack[2 + ARM64_CONTEXT_PC / 8] = in_function(3);
	stack[2 + ARM64_CONTEXT_BP / 8] = STACK + 8 * 102;
	stack[2 + ARM64_CONTEXT_LINK / 8] = in_function(4);
	rules[4] = rule_make(RULE_BP, 2, RULE_SLOT_AT_BP);
	keep(102, 0, ROOT);
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_FUNCTION);
	assert_int_equal(u->depth, 5);
	assert_int_equal(u->frames[2].pc, in_function(3));
	assert_int_equal(u->frames[3].pc, in_function(4));
	assert_int_equal(u->frames[3].sp, STACK + 8 * 100);
}

/* A trampoline of -X perf; other code of no file says nothing of its caller's stack. */
TEST(what_was_made)
{
	static const __u32 load_and_ret[] = { 0xa8c17bfd, 0xd65f03c0 };

	hosted_regs.pc = in_function(1);
	keep(0, 0, MADE + 0x2c);
	keep(2, 0, ROOT);
	load();
	assert_int_equal(find(NULL)->end, NATIVE_INCOMPLETE);
	memcpy(made + 0x2c, load_and_ret, sizeof(load_and_ret));
	assert_int_equal(find(NULL)->end, NATIVE_FUNCTION);
	assert_int_equal(hosted.scratch->unwind.depth, 3);
}

static struct unwind *find_and_keep(void)
{
	struct unwind *u = find(&cache);

	if (u->end == NATIVE_FUNCTION)
		native_cache_renew(u, &cache, hosted.scratch->who.known.space);
	return u;
}

/* Whichever word of the way has changed, what is remembered leads where the way does now. */
TEST(what_is_remembered)
{
	rules[1] = LEAF;
	rules[2] = PAIR(4);
	rules[3] = rule_make(RULE_SP, 6, 2);
	rules[4] = rule_make(RULE_BP, 4, RULE_SLOT_AT_BP);
	hosted_regs.pc = in_function(1);
	hosted_regs.dwarf[30] = in_function(2);
	keep(0, 9, SIGNATURE | in_function(3));
	keep(4 + 4, STACK + 8 * 12, in_function(4));
	keep(12, 9, in_function(5));
	keep(16, 9, ROOT);
	load();
	assert_int_equal(find_and_keep()->depth, 6);
	assert_int_equal(cache.depth, 5); /* all but the leaf */
	assert_int_equal(find_and_keep()->depth, 1);
	assert_int_equal(hosted.scratch->unwind.cached.run, 5);
	for (__u32 i = 0; i < 18; i++) {
		const __u64 was = stack[i];
		__u32 end, depth;

		find_and_keep();
		stack[i] = in_function(7);
		end = find(NULL)->end;
		depth = hosted.scratch->unwind.depth;
		assert_int_equal(find_and_keep()->end, end);
		if (end == NATIVE_FUNCTION)
			depth -= hosted.scratch->unwind.cached.run;
		assert_true(end != NATIVE_FUNCTION || hosted.scratch->unwind.depth == depth);
		stack[i] = was;
	}
}

AROUND_EACH(begin, NULL);
