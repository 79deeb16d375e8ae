// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rule.c - states of call frame instructions as 20 bits: what they can say, up to its bounds, and that
 * everything else is unknown.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/rule.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_frames.h"

#define UNKNOWN rule_make_small(RULE_SPECIAL, RULE_UNKNOWN, 0, 0)

/* The state behind a call, but with this CFA. */
static struct cfi_state at(__u64 number, __s64 offset)
{
	return (struct cfi_state){
		.cfa = { .is_known = true, .number = number, .offset = offset },
		.ip = { .rule = CFI_AT_OFFSET, .offset = -8 },
	};
}

static struct cfi_state by_expression(const __u8 *bytes, size_t size)
{
	struct cfi_state state = at(CFI_RSP, 8);

	state.cfa.is_expression = true;
	state.cfa.expression = (struct reader){ bytes, bytes + size };
	return state;
}

static __u32 rule_at(__u64 number, __s64 offset)
{
	const struct cfi_state state = at(number, offset);

	return rule_of(&state, false);
}

static __u32 rule_by(const __u8 *bytes, size_t size)
{
	const struct cfi_state state = by_expression(bytes, size);

	return rule_of(&state, false);
}

TEST(stack_pointer_and_frame_pointer)
{
	assert_int_equal(rule_at(CFI_RSP, 8), rule_make(RULE_SP, 1, RULE_SLOT_SAME));
	assert_int_equal(rule_at(CFI_RBP, 16), rule_make(RULE_BP, 2, RULE_SLOT_SAME));
	assert_int_equal(rule_at(CFI_RSP, 8 * 8191), rule_make(RULE_SP, 8191, 0));
	assert_int_equal(rule_at(CFI_RSP, 8 * 8192), rule_make_small(RULE_SPECIAL, RULE_SP_FAR, 0, 0));
	assert_int_equal(rule_at(CFI_RSP, 8 * 8703), rule_make_small(RULE_SPECIAL, RULE_SP_FAR, 511, 0));
	assert_int_equal(rule_at(CFI_RSP, 8 * 8704), UNKNOWN);
	assert_int_equal(rule_at(CFI_RSP, 8 * 8192 + 4), UNKNOWN);
	assert_int_equal(rule_at(CFI_RSP, INT64_MAX), UNKNOWN);
	assert_int_equal(rule_at(CFI_RBP, 8 * 8191), rule_make(RULE_BP, 8191, 0));
	assert_int_equal(rule_at(CFI_RBP, 8 * 8192), UNKNOWN);
	assert_int_equal(rule_at(CFI_RSP, 12), UNKNOWN);
	assert_int_equal(rule_at(CFI_RSP, -8), UNKNOWN);
	assert_int_equal(rule_at(CFI_RSP, INT64_MIN), UNKNOWN);
}

TEST(other_registers)
{
	assert_int_equal(rule_at(10, 0), rule_make_small(RULE_REGISTER, 10, 0, 0));
	assert_int_equal(rule_at(0, 8 * 511), rule_make_small(RULE_REGISTER, 0, 511, 0));
	assert_int_equal(rule_at(15, 8), rule_make_small(RULE_REGISTER, 15, 1, 0));
	assert_int_equal(rule_at(10, 8 * 512), UNKNOWN);
	assert_int_equal(rule_at(10, 4), UNKNOWN);
	assert_int_equal(rule_at(16, 8), UNKNOWN);
	assert_int_equal(rule_at((1ULL << 32) + CFI_RSP, 8), UNKNOWN);
}

TEST(callers_frame_pointer)
{
	static const struct {
		struct cfi_register is;
		__u32 slot;
	} cases[] = {
		{ { .rule = CFI_SAME }, RULE_SLOT_SAME },
		{ { .rule = CFI_AT_OFFSET, .offset = -16 }, 2 },
		{ { .rule = CFI_AT_OFFSET, .offset = -8 * RULE_SLOT_MAX }, RULE_SLOT_MAX },
		{ { .rule = CFI_AT_OFFSET, .offset = -8 * RULE_SLOT_MAX - 8 }, RULE_SLOT_LOST },
		{ { .rule = CFI_AT_OFFSET, .offset = -12 }, RULE_SLOT_LOST },
		{ { .rule = CFI_AT_OFFSET, .offset = 0 }, RULE_SLOT_LOST },
		{ { .rule = CFI_AT_OFFSET, .offset = 16 }, RULE_SLOT_LOST },
		{ { .rule = CFI_AT_OFFSET, .offset = INT64_MIN }, RULE_SLOT_LOST },
		{ { .rule = CFI_UNDEFINED }, RULE_SLOT_LOST },
		{ { .rule = CFI_OTHER }, RULE_SLOT_LOST },
	};
	static const __u8 at_bp[] = { 0x76, 0 }, below[] = { 0x76, 0x78 }, longer[] = { 0x76, 0, 0x06 };
	struct cfi_state s = at(CFI_RSP, 64);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		s.bp = cases[i].is;
		assert_int_equal(rule_of(&s, false), rule_make(RULE_SP, 8, cases[i].slot));
	}
	s.bp = (struct cfi_register){ CFI_EXPRESSION, 0, { at_bp, at_bp + 2 } };
	assert_int_equal(rule_of(&s, false), rule_make(RULE_SP, 8, RULE_SLOT_AT_BP));
	s.bp.expression = (struct reader){ below, below + 2 };
	assert_int_equal(rule_of(&s, false), rule_make(RULE_SP, 8, RULE_SLOT_LOST));
	s.bp.expression = (struct reader){ longer, longer + 3 };
	assert_int_equal(rule_of(&s, false), rule_make(RULE_SP, 8, RULE_SLOT_LOST));
	s.bp.expression = (struct reader){ at_bp, at_bp + 1 };
	assert_int_equal(rule_of(&s, false), rule_make(RULE_SP, 8, RULE_SLOT_LOST));
}

TEST(return_address)
{
	struct cfi_state s = at(CFI_RSP, 8);

	s.ip.rule = CFI_UNDEFINED;
	assert_int_equal(rule_of(&s, false), rule_make_small(RULE_SPECIAL, RULE_ROOT, 0, 0));
	s.ip.rule = CFI_SAME;
	assert_int_equal(rule_of(&s, false), UNKNOWN);
	s.ip.rule = CFI_OTHER;
	assert_int_equal(rule_of(&s, false), UNKNOWN);
	s.ip = (struct cfi_register){ .rule = CFI_AT_OFFSET, .offset = -16 };
	assert_int_equal(rule_of(&s, false), UNKNOWN);
	s = at(CFI_RSP, 8);
	s.cfa.is_known = false;
	assert_int_equal(rule_of(&s, false), UNKNOWN);
}

/* rsp + 8 + ((rip & 15) >= n) * 8 */
TEST(linkage_tables)
{
	__u8 code[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22, 0 };
	const size_t size = sizeof(code) - 1;

	for (int n = 0; n < 16; n++) {
		code[6] = 0x30 + n;
		assert_int_equal(rule_by(code, size), rule_make_small(RULE_SPECIAL, RULE_PLT, n, 0));
	}
	code[6] = 0x40;
	assert_int_equal(rule_by(code, size), UNKNOWN);
	code[6] = 0x3b;
	assert_int_equal(rule_by(code, sizeof(code)), UNKNOWN);
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(rule_by(code, i), UNKNOWN);
		code[i] ^= 0x40;
		assert_int_equal(rule_by(code, size), UNKNOWN);
		code[i] ^= 0x40;
	}
}

TEST(word_below_the_frame_pointer)
{
	assert_int_equal(rule_by(CODE(0x76, 0x78, 0x06)), rule_make_small(RULE_SPECIAL, RULE_DEREF, 1, 0));
	assert_int_equal(rule_by(CODE(0x76, 0, 0x06)), rule_make_small(RULE_SPECIAL, RULE_DEREF, 0, 0));
	assert_int_equal(rule_by(CODE(0x76, 0x88, 0x60, 0x06)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF, 511, 0));
	assert_int_equal(rule_by(CODE(0x76, 0x80, 0x60, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 0x7c, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 8, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 0x78)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 0x78, 0x06, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 0x78, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 0x80)), UNKNOWN);
	assert_int_equal(rule_by((const __u8 *)"", 0), UNKNOWN);
}

/* rsp + 8 n, deref, + 8: as OpenSSL's loops for AVX have it. */
TEST(word_above_the_stack_pointer)
{
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06, 0x23, 8)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 1, 0));
	assert_int_equal(rule_by(CODE(0x77, 0, 0x06, 0x23, 8)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 0, 0));
	assert_int_equal(rule_by(CODE(0x77, 0xf8, 0x0f, 0x06, 0x23, 8)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 255, 0));
	assert_int_equal(rule_by(CODE(0x77, 0x80, 0x10, 0x06, 0x23, 8)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 0x78, 0x06, 0x23, 8)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 511, 0));
	assert_int_equal(rule_by(CODE(0x77, 0x80, 0x70, 0x06, 0x23, 8)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 256, 0));
	assert_int_equal(rule_by(CODE(0x77, 0xf8, 0x6f, 0x06, 0x23, 8)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 0x88, 0x80, 0x80, 0, 0x06, 0x23, 0x88, 0x80, 0x80, 0)),
			 rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, 1, 0));
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06, 0x23, 0x88, 0x80)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06, 0x23, 8, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 4, 0x06, 0x23, 8)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06, 0x23, 16)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06, 0x23)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x77, 8, 0x06)), UNKNOWN);
	assert_int_equal(rule_by(CODE(0x76, 8, 0x06, 0x23, 8)), UNKNOWN);
}

/* As the kernel's frame has it: the interrupted stack pointer is in the struct ucontext, 160 bytes on. */
TEST(signals)
{
	static const __u8 saved[] = { 0x77, 0xa0, 0x01, 0x06 }, elsewhere[] = { 0x77, 0xa8, 0x01, 0x06 };
	struct cfi_state s = by_expression(saved, sizeof(saved));

	s.ip = (struct cfi_register){ CFI_EXPRESSION, 0, { elsewhere, elsewhere + 3 } };
	assert_int_equal(rule_of(&s, true), rule_make_small(RULE_SPECIAL, RULE_SIGNAL, 0, 0));
	assert_int_equal(rule_of(&s, false), UNKNOWN);
	s.cfa.expression = (struct reader){ elsewhere, elsewhere + sizeof(elsewhere) };
	assert_int_equal(rule_of(&s, true), UNKNOWN);
	/* The letter alone says nothing of where things are. */
	s = at(CFI_RSP, 16);
	assert_int_equal(rule_of(&s, true), rule_make(RULE_SP, 2, 0));
}

TEST(what_may_be_sent)
{
	assert_true(rule_is_sane(UNKNOWN));
	assert_true(rule_is_sane(rule_make(RULE_SP, RULE_WORDS_MAX, RULE_SLOT_LOST)));
	assert_true(rule_is_sane(rule_make(RULE_BP, RULE_WORDS_MAX, RULE_SLOT_LOST)));
	assert_true(rule_is_sane(rule_make_small(RULE_REGISTER, 15, RULE_SMALL_MAX, RULE_SLOT_LOST)));
	assert_true(rule_is_sane(rule_make_small(RULE_SPECIAL, RULE_SP_FAR, RULE_SMALL_MAX, RULE_SLOT_LOST)));
	assert_false(rule_is_sane(rule_make_small(RULE_SPECIAL, RULE_SPECIALS, 0, 0)));
	assert_false(rule_is_sane(1U << RULE_BITS));
}
