// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unwind.c - the way from a thread's registers to its first function, on a stack that is made up: each
 * kind of rule; and that what is remembered of the last way is used only as long as a new one would find the
 * same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int mem_read(void *dst, unsigned int size, unsigned long long address);

#include "base/cleanup.h"
#include "kern/texts.h"
#include "tests/forge/hosted.h"

const volatile __u8 opt_native = NATIVE_MODE_FULL;
const volatile __u8 opt_kernel = KERNEL_MODE_SYSCALL;
const volatile __u8 opt_programs = 1;

#define BLOCKS	  65536
#define BASE	  (TEXT_FILES + 0x5000000)
#define CODE	  0x400000 /* address of the file's first byte */
#define FUNCTIONS 64
#define SIZE	  64 /* bytes of a function's code */
#define STACK	  0x7ff000000000ULL
#define MADE	  0x7000000 /* address of code of no file */
#define MADE_AT	  (TEXT_JITS + 0x9000)
#define WORDS	  2048

static struct texts table;
static __u64 stack[WORDS];
static __u8 made[64]; /* from MADE on */
static __u32 rules[FUNCTIONS]; /* function i has its code at CODE + 4096 + i * SIZE */

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (address - MADE < sizeof(made) && size <= sizeof(made) - (address - MADE)) {
		memcpy(dst, made + (address - MADE), size);
		return 0;
	}
	if (address < STACK || size > sizeof(stack) || address - STACK > sizeof(stack) - size)
		return -EFAULT;
	memcpy(dst, (char *)stack + (address - STACK), size);
	return 0;
}

static __u64 in_function(__u32 i)
{
	return CODE + 4096 + i * SIZE + 20;
}

static __u32 special(enum rule_special which, __u32 argument, __u32 slot)
{
	return rule_make_small(RULE_SPECIAL, which, argument, slot);
}

/* Puts the functions and their rules into the table. */
static void load(void)
{
	static __u32 words[REGION_INDEX + REGION_PAGES + FUNCTIONS + 1], offsets[FUNCTIONS];
	struct text_mapping m = { CODE, CODE + 0x10000, BASE, 0 };
	struct text_mapping both[2] = { m, { MADE, MADE + 4096, MADE_AT, TEXT_NONE } };
	const struct text_functions functions = { offsets, sizeof(offsets[0]), FUNCTIONS, 0x3000 };
	__u32 rows = 0, block;

	table.used = 2;
	memset(table.blocks, 0, BLOCKS * sizeof(*table.blocks));
	for (__u32 page = 0; page < REGION_PAGES; page++) {
		words[page] = rows;
		words[REGION_INDEX + rows++] = row_make(0, special(RULE_UNKNOWN, 0, 0));
		for (__u32 i = 0; page == 1 && i < FUNCTIONS; i++) {
			offsets[i] = 4096 + i * SIZE;
			if (i)
				words[REGION_INDEX + rows++] = row_make(i * SIZE, rules[i]);
			else
				words[REGION_INDEX + rows - 1] = row_make(0, rules[0]);
		}
	}
	words[REGION_PAGES] = rows;
	assert_int_equal(texts_add_text(&table, BASE, &functions, &m.text), 0);
	assert_int_equal(texts_add_rows(&table, m.text, 0, words, rows), 0);
	both[0] = m;
	assert_int_equal(texts_add_space(&table, both, 2, &block), 0);
	hosted.text_count = table.used;
	hosted.scratch->who.known.space = space_number(0, block);
	hosted_mm.exec_vm = 0x11;
}

static int setup(void **state)
{
	(void)state;
	if (!table.blocks)
		table = (struct texts){ .blocks = calloc(BLOCKS, sizeof(union text_block)), .count = BLOCKS,
					.used = 2, .with_rows = true };
	hosted.texts = table.blocks;
	memset(stack, 0, sizeof(stack));
	memset(made, 0x90, sizeof(made));
	for (__u32 i = 0; i < FUNCTIONS; i++)
		rules[i] = rule_make(RULE_SP, 2, RULE_SLOT_SAME);
	rules[FUNCTIONS - 1] = special(RULE_ROOT, 0, 0);
	hosted_regs = (struct pt_regs){ .syscall = -1, .sp = STACK };
	return !table.blocks || (!hosted.scratch && hosted_begin());
}

static struct unwind *find(struct native_kept *k)
{
	struct scratch *s = hosted.scratch;

	s->walk.patience = 0;
	s->unwind.goal = UNWIND_ALL;
	native_find(s, &hosted.stats, &hosted_task, k);
	return &s->unwind;
}

/* The way is through these functions, and ends in the root. */
static void expect(const __u32 *functions, __u32 count)
{
	struct unwind *u;

	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_FUNCTION);
	assert_int_equal(u->depth, count + 1);
	assert_int_equal(u->frames[0].place & ((1ULL << TEXT_BITS) - 1), BASE + 4096 + functions[0] * SIZE);
	for (__u32 i = 0; i < count; i++)
		assert_int_equal(u->frames[i].pc, in_function(functions[i]));
	assert_int_equal(u->frames[count].pc, in_function(FUNCTIONS - 1));
}

static void by_stack_pointer(void **state)
{
	(void)state;
	rules[1] = rule_make(RULE_SP, 5, RULE_SLOT_SAME);
	hosted_regs.pc = in_function(1);
	stack[4] = in_function(2); /* whose frame has two words */
	stack[6] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

static void by_frame_pointer(void **state)
{
	(void)state;
	rules[1] = rules[2] = rule_make(RULE_BP, 2, 2);
	hosted_regs.pc = in_function(1);
	hosted_regs.bp = STACK + 8 * 10;
	stack[10] = STACK + 8 * 20;
	stack[11] = in_function(2);
	stack[21] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2 }, 2);
}

static void by_saved_frame_pointer(void **state)
{
	(void)state;
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
static void by_what_was_made(void **state)
{
	static const __u8 add_and_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };

	(void)state;
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

static void by_register_in_the_leaf(void **state)
{
	struct unwind *u;

	(void)state;
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

static void by_realigned_stack(void **state)
{
	(void)state;
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

static void by_word_on_the_stack(void **state)
{
	(void)state;
	rules[1] = special(RULE_DEREF_SP, 3, 0);
	hosted_regs.pc = in_function(1);
	stack[3] = STACK + 8 * 9;
	stack[9] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1 }, 1);
	rules[1] = special(RULE_DEREF_SP, -1 & RULE_SMALL_MAX, 0); /* just below the stack pointer */
	hosted_regs.sp = STACK + 8 * 4;
	expect((const __u32[]){ 1 }, 1);
}

static void by_plt(void **state)
{
	(void)state;
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

static void by_signal(void **state)
{
	struct unwind *u;

	(void)state;
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

static void lost(void **state)
{
	struct unwind *u;

	(void)state;
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
static void ring(void **state)
{
	struct unwind *u;

	(void)state;
	rules[1] = special(RULE_SIGNAL, 0, 0); /* whose context leads back to itself */
	hosted_regs.pc = in_function(1);
	stack[CONTEXT_SP / 8] = STACK;
	stack[CONTEXT_PC / 8] = in_function(1);
	load();
	u = find(NULL);
	assert_int_equal(u->end, NATIVE_INCOMPLETE);
	assert_int_equal(u->depth, NATIVE_DEPTH);
}

/* --- what is remembered ------------------------------------------------------------------------------ */

static struct native_kept kept;

/* A stack of frames of all sizes, with and without rbp. Returns how many words it has. */
static __u32 make_stack(__u32 frames)
{
	__u32 at = 0, f = 1 + rand() % (FUNCTIONS - 2);

	hosted_regs.pc = in_function(f);
	hosted_regs.bp = 0;
	for (__u32 n = 0; n < frames; n++) {
		const __u32 words = rules[f] >> RULE_SLOT_BITS & RULE_WORDS_MAX, slot = rules[f] & 31;

		at += words;
		f = n + 1 < frames ? 1 + rand() % (FUNCTIONS - 2) : FUNCTIONS - 1;
		stack[at - 1] = in_function(f);
		if (slot)
			stack[at - slot] = STACK + 8 * (at + rand() % 9);
	}
	return at;
}

struct way {
	__u32 end, depth;
	struct native_frame frames[NATIVE_DEPTH];
};

static struct way way(struct native_kept *k)
{
	struct unwind *u = find(k);
	struct way w = { .end = u->end, .depth = u->depth };

	memcpy(w.frames, u->frames, u->depth * sizeof(u->frames[0]));
	for (__u32 i = u->kept.run; i-- > 0;)
		w.frames[w.depth++] = k->frames[i];
	return w;
}

static void compare(const struct way *a, const struct way *b)
{
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->depth, b->depth);
	for (__u32 i = 0; i < a->depth; i++) {
		assert_int_equal(a->frames[i].pc, b->frames[i].pc);
		assert_int_equal(a->frames[i].sp, b->frames[i].sp);
		assert_int_equal(a->frames[i].bp, b->frames[i].bp);
		assert_int_equal(a->frames[i].place, b->frames[i].place);
	}
}

static void random_rules(void)
{
	for (__u32 i = 1; i < FUNCTIONS - 1; i++) {
		const __u32 words = 2 + rand() % 12;

		rules[i] = rule_make(RULE_SP, words, rand() % 2 && words > 2 ? 2 + rand() % (words - 1) : 0);
	}
}

/* Every word of the stack is changed, in several ways: with and without the last way it is the same. */
static void every_changed_word_is_noticed(void **state)
{
	__u32 used = 0;

	(void)state;
	srand(3);
	for (int round = 0; round < 20; round++) {
		__u32 words;
		struct way before, with, without;

		random_rules();
		load();
		words = make_stack(40);
		kept.depth = 0;
		before = way(&kept);
		assert_int_equal(before.end, NATIVE_FUNCTION);
		assert_int_equal(before.depth, 41);
		kept_renew(&hosted.scratch->unwind, &kept, hosted.scratch->who.known.space);
		assert_int_equal(kept.depth, 40); /* all but the leaf */
		with = way(&kept);
		compare(&with, &before);
		assert_int_equal(hosted.scratch->unwind.kept.run, 40);
		for (__u32 at = 0; at < words; at++) {
			const __u64 was = stack[at], others[] = { 0, was + 8, in_function(5), ~0ULL };

			for (size_t o = 0; o < ARRAY_SIZE(others); o++) {
				stack[at] = others[o];
				without = way(NULL);
				with = way(&kept);
				used += hosted.scratch->unwind.kept.run != 0;
				compare(&with, &without);
			}
			stack[at] = was;
		}
	}
	assert_true(used > 1000); /* it was of use where a word was changed that nobody reads */
}

/* Where in the tree a sample of the program leads to; its frames are looked for one by one if `anew`. */
static __u32 node_of_program(int anew)
{
	if (anew)
		memset(hosted.natives_kept, 0, HOSTED_THREAD_SETS * THREAD_WAYS * sizeof(struct native_kept));
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	return hosted.scratch->tree.node;
}

/* --all: the stack of a program is the same in the tree with and without what is remembered of the last. */
static void programs_lead_to_the_same(void **state)
{
	__u32 used = 0;

	(void)state;
	srand(4);
	hosted_clear();
	hosted_task.tgid = hosted_task.pid = 77;
	for (int round = 0; round < 5; round++) {
		__u32 words, whole;

		random_rules();
		load();
		hosted.process = (struct process){ .id = 5, .state = PROCESS_PROGRAM };
		hosted.process.space = hosted.scratch->who.known.space;
		processes_stamp++;
		words = make_stack(40);
		whole = node_of_program(1);
		assert_int_equal(node_of_program(0), whole);
		assert_int_equal(hosted.scratch->unwind.kept.run, 40);
		for (__u32 at = 0, with; at < words; at++) {
			stack[at] ^= at % 2 ? 8 : in_function(5);
			with = node_of_program(0);
			used += hosted.scratch->unwind.kept.run != 0;
			assert_int_equal(node_of_program(1), with);
			stack[at] ^= at % 2 ? 8 : in_function(5);
			assert_int_equal(node_of_program(1), whole);
		}
	}
	assert_true(used > 100);
}

/* Of a frame that was found by more than two words nothing is remembered, nor of those that it called. */
static void what_cannot_be_compared_is_not_kept(void **state)
{
	(void)state;
	rules[2] = special(RULE_DEREF_SP, 0, 0);
	hosted_regs.pc = in_function(1);
	stack[1] = in_function(2);
	stack[2] = STACK + 8 * 9;
	stack[9] = in_function(3);
	stack[11] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2, 3 }, 3);
	kept.depth = 0;
	find(&kept);
	kept_renew(&hosted.scratch->unwind, &kept, hosted.scratch->who.known.space);
	assert_int_equal(kept.depth, 2);
	kept.space++; /* of other mappings */
	find(&kept);
	assert_int_equal(hosted.scratch->unwind.kept.run, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_stack_pointer, setup),
		cmocka_unit_test_setup(by_frame_pointer, setup),
		cmocka_unit_test_setup(by_saved_frame_pointer, setup),
		cmocka_unit_test_setup(by_what_was_made, setup),
		cmocka_unit_test_setup(by_register_in_the_leaf, setup),
		cmocka_unit_test_setup(by_realigned_stack, setup),
		cmocka_unit_test_setup(by_word_on_the_stack, setup),
		cmocka_unit_test_setup(by_plt, setup),
		cmocka_unit_test_setup(by_signal, setup),
		cmocka_unit_test_setup(lost, setup),
		cmocka_unit_test_setup(ring, setup),
		cmocka_unit_test_setup(every_changed_word_is_noticed, setup),
		cmocka_unit_test_setup(programs_lead_to_the_same, setup),
		cmocka_unit_test_setup(what_cannot_be_compared_is_not_kept, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
