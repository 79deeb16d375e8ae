/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwound.h - a file of made-up functions, each with the rule that a test gives it, and a stack of words; and
 * the way from a thread's registers along them.
 */
#ifndef PYPERF_FORGE_UNWOUND_H
#define PYPERF_FORGE_UNWOUND_H

static int mem_read(void *dst, unsigned int size, unsigned long long address);

#ifndef NATIVE_ARM64
#define NATIVE_ARM64 0 /* whatever machine the test runs on */
#endif

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
static __u8 made[64];	       /* from MADE on */
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
	struct text_mapping m = { CODE, CODE + 0x10000, BASE, 0, 0 };
	struct text_mapping both[2] = { m, { MADE, MADE + 4096, MADE_AT, TEXT_NONE, 0 } };
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

static struct unwind *find(struct native_cache *k)
{
	struct scratch *s = hosted.scratch;

	s->walk.patience = 0;
	s->unwind.goal = UNWIND_ALL;
	native_find(s, &hosted.stats, &hosted_task, k);
	return &s->unwind;
}

/* The way is through these functions, and ends in the root. */
static inline void expect(const __u32 *functions, __u32 count)
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

#endif
