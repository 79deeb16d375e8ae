// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rule_arm64.c - states of call frame instructions of arm64 as 20 bits: what they can say, up to its
 * bounds, and that everything else is unknown.
 */
#include <stdbool.h>

#include "elf/rule.h"
#include "tests/forge/test.h"

#define UNKNOWN	  rule_unknown()
#define IN_PLACE  INT64_MAX /* the register has the caller's value */
#define NOWHERE	  INT64_MIN /* it is lost */

static struct cfi_register kept(__s64 offset)
{
	if (offset == IN_PLACE)
		return (struct cfi_register){ .rule = CFI_SAME };
	if (offset == NOWHERE)
		return (struct cfi_register){ .rule = CFI_UNDEFINED };
	return (struct cfi_register){ .rule = CFI_AT_OFFSET, .offset = offset };
}

/* The CFA is this register plus offset, and x29 and x30 are at the CFA plus these. */
static __u32 rule(__u64 number, __s64 offset, __s64 x29, __s64 x30)
{
	const struct cfi_state state = {
		.cfa = { .is_known = true, .number = number, .offset = offset },
		.bp = kept(x29),
		.ip = kept(x30),
	};

	return rule_of_arm64(&state);
}

TEST(leaves)
{
	assert_int_equal(rule(31, 0, IN_PLACE, IN_PLACE), rule_make(RULE_SP, 0, RULE_SLOT_SAME));
	assert_int_equal(rule(31, 8 * 8191, IN_PLACE, IN_PLACE), rule_make(RULE_SP, 8191, RULE_SLOT_SAME));
	assert_int_equal(rule(31, 8 * 8192, IN_PLACE, IN_PLACE),
			 rule_make_small(RULE_SPECIAL, RULE_SP_FAR, 0, RULE_SLOT_SAME));
	assert_int_equal(rule(31, 8 * 8704, IN_PLACE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(29, 16, IN_PLACE, IN_PLACE), rule_make(RULE_BP, 2, RULE_SLOT_SAME));
	assert_int_equal(rule(29, 8 * 8192, IN_PLACE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(31, 12, IN_PLACE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(31, -16, IN_PLACE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(31, 16, -16, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(31, 16, NOWHERE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(0, 0, IN_PLACE, IN_PLACE), UNKNOWN);
	assert_int_equal(rule(7, 0, IN_PLACE, IN_PLACE), UNKNOWN); /* rsp, elsewhere */
}

/* stp x29, x30, [sp, #-n]! */
TEST(pairs_at_the_bottom)
{
	assert_int_equal(rule(31, 32, -32, -24), rule_make(RULE_SP, 4, RULE_SLOT_AT_SP));
	assert_int_equal(rule(31, 16, -16, -8), rule_make(RULE_SP, 2, RULE_SLOT_AT_SP));
	assert_int_equal(rule(31, 8 * 8191, -8 * 8191, -8 * 8190), rule_make(RULE_SP, 8191, RULE_SLOT_AT_SP));
	assert_int_equal(rule(31, 8 * 8200, -8 * 8200, -8 * 8199),
			 rule_make_small(RULE_SPECIAL, RULE_SP_FAR, 8, RULE_SLOT_AT_SP));
	assert_int_equal(rule(29, 96, -96, -88), rule_make(RULE_BP, 12, RULE_SLOT_AT_BP));
}

TEST(pairs_elsewhere)
{
	assert_int_equal(rule(31, 96, -16, -8), rule_make(RULE_SP, 12, 2));
	assert_int_equal(rule(31, 320, -8 * 29, -8 * 28), rule_make(RULE_SP, 40, 29));
	assert_int_equal(rule(29, 320, -16, -8), rule_make(RULE_BP, 40, 2));
	assert_int_equal(rule(31, 320, -256, -248), rule_make_pair(20, 4));
	assert_int_equal(rule(31, 16 * 1023, -16 * 768, -16 * 768 + 8), rule_make_pair(1023, 255));
	assert_int_equal(rule(31, 16 * 1024, -16 * 800, -16 * 800 + 8), UNKNOWN);
	assert_int_equal(rule(31, 16 * 1023, -16 * 767, -16 * 767 + 8), UNKNOWN);
	assert_int_equal(rule(31, 320, -264, -256), UNKNOWN); /* not a multiple of 16 */
	assert_int_equal(rule(29, 320, -256, -248), UNKNOWN);
	assert_int_equal(rule(31, 320, -336, -328), UNKNOWN); /* below the stack pointer */
	assert_int_equal(rule(31, 96, -8, 0), UNKNOWN);
	assert_int_equal(rule(31, 96, -16, -24), UNKNOWN); /* the other way round */
	assert_int_equal(rule(31, 96, -32, -8), UNKNOWN);
	assert_int_equal(rule(31, 96, NOWHERE, -8), UNKNOWN);
	assert_int_equal(rule(31, 96, -16, -(1LL << 40)), UNKNOWN);
}

TEST(x30_alone)
{
	assert_int_equal(rule(31, 16, IN_PLACE, -16), rule_make_small(RULE_SPECIAL, RULE_LINK, 1, 2));
	assert_int_equal(rule(31, 16 * 511, IN_PLACE, -8 * 31),
			 rule_make_small(RULE_SPECIAL, RULE_LINK, 511, 31));
	assert_int_equal(rule(31, 16 * 511, IN_PLACE, -8 * 32), UNKNOWN);
	assert_int_equal(rule(31, 16 * 512, IN_PLACE, -8), UNKNOWN);
	assert_int_equal(rule(31, 16, IN_PLACE, -24), UNKNOWN);
	assert_int_equal(rule(29, 16, IN_PLACE, -16), UNKNOWN);
}

TEST(roots)
{
	struct cfi_state unknown = { .ip = { .rule = CFI_SAME } };

	assert_int_equal(rule(31, 0, IN_PLACE, NOWHERE), rule_make_small(RULE_SPECIAL, RULE_ROOT, 0, 0));
	assert_int_equal(rule_of_arm64(&unknown), UNKNOWN);
	unknown.cfa = (struct cfi_cfa){ .is_known = true, .is_expression = true, .number = 31 };
	assert_int_equal(rule_of_arm64(&unknown), UNKNOWN);
}
