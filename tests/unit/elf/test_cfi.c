// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cfi.c - every call frame instruction, on functions made by hand, and programs that mean harm.
 * tests/oracle/test_rows.py compares what real files say with readelf.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_frames.h"

#define BEGIN 0x2000
#define SIZE  0x1000
#define ROWS  8

static struct frames frames;
static size_t common;

struct seen {
	__u64 begin[ROWS], end[ROWS];
	struct cfi_state state[ROWS];
	int count;
};
static struct seen seen;
static struct eh_frame section;

static int setup(void **state)
{
	(void)state;
	frames.address = 0x10000;
	common = frames_usual(&frames);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_free(&frames.bytes);
	free((void *)section.bytes);
	section.bytes = NULL;
	return 0;
}

static int on_state(void *context, __u64 begin, __u64 end, const struct cfi_state *state)
{
	(void)context;
	assert_true(begin < end);
	assert_int_equal(begin, seen.count ? seen.end[seen.count - 1] : BEGIN);
	if (seen.count == ROWS)
		return -E2BIG;
	seen.begin[seen.count] = begin;
	seen.end[seen.count] = end;
	seen.state[seen.count++] = *state;
	return 0;
}

/* A function at BEGIN of SIZE bytes with these instructions. */
static int run(const void *code, size_t size)
{
	const size_t offset = frames_function(&frames, common, BEGIN, SIZE, code, size);
	struct eh_function f;

	free((void *)section.bytes);
	section = frames_copy(&frames);
	seen.count = 0;
	assert_int_equal(eh_frame_read(&section, offset, &f), 0);
	return cfi_run(&section, &f, on_state, NULL);
}

static void row_is(int i, __u64 begin, __u64 number, __s64 offset)
{
	assert_true(i < seen.count);
	assert_int_equal(seen.begin[i], begin);
	assert_true(seen.state[i].cfa.is_known && !seen.state[i].cfa.is_expression);
	assert_int_equal(seen.state[i].cfa.number, number);
	assert_int_equal(seen.state[i].cfa.offset, offset);
}

static void bp_is(int i, enum cfi_rule rule, __s64 offset)
{
	assert_true(i < seen.count);
	assert_int_equal(seen.state[i].bp.rule, rule);
	if (rule == CFI_AT_OFFSET)
		assert_int_equal(seen.state[i].bp.offset, offset);
}

TEST(what_is_common_holds_from_the_begin)
{
	assert_int_equal(run(CODE(0, 0, 0)), 0);
	assert_int_equal(seen.count, 1);
	row_is(0, BEGIN, CFI_RSP, 8);
	assert_int_equal(seen.end[0], BEGIN + SIZE);
	assert_int_equal(seen.state[0].ip.rule, CFI_AT_OFFSET);
	assert_int_equal(seen.state[0].ip.offset, -8);
	bp_is(0, CFI_SAME, 0);
	assert_int_equal(run(NULL, 0), 0);
	assert_int_equal(seen.count, 1);
}

TEST(every_way_to_advance)
{
	/* Each changes the CFA, so that each has a row: by 1, 0x10, 0x120, 0x200, to 0x2900, by 0x100. */
	assert_int_equal(run(CODE(0x41, 0x0e, 16, 0x02, 0x10, 0x0e, 24, 0x03, 0x20, 0x01, 0x0e, 32, 0x04, 0,
				  2, 0, 0, 0x0e, 40, 0x1d, 0, 1, 0, 0, 0, 0, 0, 0, 0x0e, 48)),
			 0);
	assert_int_equal(seen.count, 6);
	row_is(0, BEGIN, CFI_RSP, 8);
	row_is(1, BEGIN + 0x1, CFI_RSP, 16);
	row_is(2, BEGIN + 0x11, CFI_RSP, 24);
	row_is(3, BEGIN + 0x131, CFI_RSP, 32);
	row_is(4, BEGIN + 0x331, CFI_RSP, 40);
	row_is(5, BEGIN + 0x431, CFI_RSP, 48);
	assert_int_equal(seen.end[5], BEGIN + SIZE);
}

/* The address stands relative to its place, which is behind the entry's 17 bytes and the instruction. */
TEST(an_address_to_advance_to)
{
	__u8 code[] = { 0x01, 0, 0, 0, 0, 0x0e, 16 };
	const __u32 distance = BEGIN + 0x80 - (frames.address + frames.bytes.size + 17 + 1);
	const __u32 back = distance - 0x100;

	memcpy(code + 1, &distance, sizeof(distance));
	assert_int_equal(run(code, sizeof(code)), 0);
	assert_int_equal(seen.count, 2);
	row_is(1, BEGIN + 0x80, CFI_RSP, 16);
	/* One before the begin. */
	teardown(state);
	setup(state);
	memcpy(code + 1, &back, sizeof(back));
	assert_int_equal(run(code, sizeof(code)), -EBADMSG);
	assert_int_equal(seen.count, 0);
}

/* Beyond the function's end nothing is said, and a row of no bytes is none. */
TEST(only_within_the_function)
{
	assert_int_equal(run(CODE(0x40, 0x0e, 16, 0x40, 0x0e, 24, 0x03, 0, 0x10, 0x0e, 32, 0x41, 0x0e, 40)),
			 0);
	assert_int_equal(seen.count, 1);
	row_is(0, BEGIN, CFI_RSP, 24);
	assert_int_equal(seen.end[0], BEGIN + SIZE);
	/* As far as 64 bits go, and on. */
	assert_int_equal(run(CODE(0x1d, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x1d, 0, 0, 0, 0, 0, 0, 0, 0x80)),
			 -EBADMSG);
	assert_int_equal(seen.count, 1);
}

TEST(every_way_to_say_the_cfa)
{
	const __u8 expression[] = { 0x76, 0x78, 0x06 };

	/* def_cfa, _register, _offset; then the signed ones, whose operand counts by -8 */
	assert_int_equal(run(CODE(0x0c, 10, 0, 0x41, 0x0d, 6, 0x41, 0x0e, 0x80, 0x02, 0x41, 0x12, 7, 0x7e,
				  0x41, 0x13, 0x7c, 0x41, 0x0f, 3, 0x76, 0x78, 0x06, 0x41, 0x0d, 7)),
			 0);
	assert_int_equal(seen.count, 7);
	row_is(0, BEGIN, 10, 0);
	row_is(1, BEGIN + 1, CFI_RBP, 0);
	row_is(2, BEGIN + 2, CFI_RBP, 256);
	row_is(3, BEGIN + 3, CFI_RSP, 16);
	row_is(4, BEGIN + 4, CFI_RSP, 32);
	assert_true(seen.state[5].cfa.is_expression);
	assert_int_equal(reader_left(&seen.state[5].cfa.expression), sizeof(expression));
	assert_memory_equal(seen.state[5].cfa.expression.at, expression, sizeof(expression));
	row_is(6, BEGIN + 6, CFI_RSP, 32); /* with the offset from before the expression */
}

TEST(every_place_of_a_register)
{
	assert_int_equal(run(CODE(0x86, 2, 0x41, 0x05, 6, 3, 0x41, 0x11, 6, 0x7f, 0x41, 0x2f, 6, 4, 0x41,
				  0x10, 6, 2, 0x76, 0, 0x41, 0x07, 6, 0x41, 0x08, 6)),
			 0);
	assert_int_equal(seen.count, 7);
	bp_is(0, CFI_AT_OFFSET, -16);
	bp_is(1, CFI_AT_OFFSET, -24);
	bp_is(2, CFI_AT_OFFSET, 8);
	bp_is(3, CFI_AT_OFFSET, 32);
	bp_is(4, CFI_EXPRESSION, 0);
	assert_int_equal(reader_left(&seen.state[4].bp.expression), 2);
	bp_is(5, CFI_UNDEFINED, 0);
	bp_is(6, CFI_SAME, 0);
	/* register, val_offset, val_offset_sf, val_expression */
	assert_int_equal(run(CODE(0x09, 6, 3, 0x41, 0x08, 6, 0x14, 6, 2, 0x41, 0x08, 6, 0x15, 6, 0x7e, 0x41,
				  0x08, 6, 0x16, 6, 2, 0x76, 0)),
			 0);
	assert_int_equal(seen.count, 4);
	for (int i = 0; i < 4; i++)
		bp_is(i, CFI_OTHER, 0);
}

/* Those of other registers are gone over, and those of the return address noted. */
TEST(other_registers)
{
	assert_int_equal(run(CODE(0x83, 5, 0x8f, 0x81, 0x01, 0x05, 0x83, 0x01, 7, 0x10, 3, 3, 1, 2, 3,
				0x16, 3, 1, 9, 0x09, 3, 12, 0x14, 3, 1, 0xc3, 0x06, 3, 0x08, 3, 0x07, 3,
				0x2e, 0x90, 0x01, 0x41, 0x07, 16, 0x41, 0xd0)), 0);
	assert_int_equal(seen.count, 3);
	row_is(0, BEGIN, CFI_RSP, 8);
	bp_is(0, CFI_SAME, 0);
	assert_int_equal(seen.state[1].ip.rule, CFI_UNDEFINED);
	assert_int_equal(seen.state[2].ip.rule, CFI_AT_OFFSET); /* as it is in the common entry */
	assert_int_equal(seen.state[2].ip.offset, -8);
}

TEST(restored)
{
	common = frames_common(&frames, "zR", "\x1b", 1, CODE(0x0c, 7, 8, 0x90, 1, 0x86, 5));
	assert_int_equal(run(CODE(0x86, 2, 0x41, 0xc6, 0x41, 0x07, 6, 0x41, 0x06, 6)), 0);
	assert_int_equal(seen.count, 4);
	bp_is(0, CFI_AT_OFFSET, -16);
	bp_is(1, CFI_AT_OFFSET, -40);
	bp_is(2, CFI_UNDEFINED, 0);
	bp_is(3, CFI_AT_OFFSET, -40);
}

TEST(remembered)
{
	/* Two deep, and with the CFA. */
	assert_int_equal(run(CODE(0x0a, 0x86, 2, 0x0e, 16, 0x41, 0x0a, 0x0d, 6, 0x41, 0x0b, 0x41, 0x0b)), 0);
	assert_int_equal(seen.count, 4);
	row_is(0, BEGIN, CFI_RSP, 16);
	row_is(1, BEGIN + 1, CFI_RBP, 16);
	row_is(2, BEGIN + 2, CFI_RSP, 16);
	bp_is(2, CFI_AT_OFFSET, -16);
	row_is(3, BEGIN + 3, CFI_RSP, 8);
	bp_is(3, CFI_SAME, 0);
}

TEST(remembered_too_much)
{
	__u8 code[2 * CFI_REMEMBERED + 3];

	memset(code, 0x0a, sizeof(code));
	memset(code + CFI_REMEMBERED, 0x0b, CFI_REMEMBERED);
	assert_int_equal(run(code, 2 * CFI_REMEMBERED), 0);
	assert_int_equal(seen.count, 1);
	code[2 * CFI_REMEMBERED] = 0x41;
	code[2 * CFI_REMEMBERED + 1] = 0x0b; /* one more than was remembered */
	assert_int_equal(run(code, 2 * CFI_REMEMBERED + 2), -EBADMSG);
	assert_int_equal(seen.count, 1);
	memset(code, 0x0a, sizeof(code));
	code[0] = 0x41;
	assert_int_equal(run(code, CFI_REMEMBERED + 2), -EBADMSG);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.end[0], BEGIN + 1);
}

/* What came before holds; of the rest nothing is said. */
TEST(unknown_instructions)
{
	static const __u8 unknown[] = { 0x17, 0x1c, 0x1e, 0x2d, 0x30, 0x3f };
	__u8 code[] = { 0x41, 0x0e, 16, 0x41, 0, 0x41, 0x0e, 24 };

	for (size_t i = 0; i < sizeof(unknown); i++) {
		code[4] = unknown[i];
		assert_int_equal(run(code, sizeof(code)), -EBADMSG);
		assert_int_equal(seen.count, 2);
		assert_int_equal(seen.end[1], BEGIN + 2);
	}
}

TEST(operands_that_are_cut_off)
{
	static const __u8 with_operands[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
					      0x09, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12,
					      0x13, 0x14, 0x15, 0x16, 0x1d, 0x2e, 0x2f, 0x86 };

	for (size_t i = 0; i < sizeof(with_operands); i++) {
		assert_int_equal(run(&with_operands[i], 1), -EBADMSG);
		assert_int_equal(run(CODE(with_operands[i], 0x80)), with_operands[i] == 0x02 ? 0 : -EBADMSG);
	}
	/* An expression that is longer than what there is. */
	assert_int_equal(run(CODE(0x0f, 5, 0x76, 0)), -EBADMSG);
	assert_int_equal(run(CODE(0x10, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0)),
			 -EBADMSG);
	/* A number of more than 64 bits is cut. */
	assert_int_equal(
		run(CODE(0x0e, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)),
		0);
	row_is(0, BEGIN, CFI_RSP, 16);
}

TEST(the_return_address_in_another_register)
{
	frames.bytes.data[common + 4 + 4 + 1 + 3 + 2] = 3;
	assert_int_equal(run(CODE(0x41, 0x0e, 16)), -EBADMSG);
	assert_int_equal(seen.count, 0);
}

TEST(what_is_common_is_malformed)
{
	common = frames_common(&frames, "zR", "\x1b", 1, CODE(0x0c, 7, 8, 0x3f));
	assert_int_equal(run(CODE(0x41, 0x0e, 16)), -EBADMSG);
	assert_int_equal(seen.count, 0);
}

TEST(what_the_caller_says_ends_it)
{
	__u8 code[3 * ROWS];

	for (int i = 0; i < ROWS; i++)
		memcpy(code + 3 * i, (__u8[]){ 0x41, 0x0e, 8 * i }, 3);
	assert_int_equal(run(code, sizeof(code)), -E2BIG);
	assert_int_equal(seen.count, ROWS);
}

AROUND_EACH(setup, teardown);
