// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_arm64.c - what compilers write for arm64: the CFA is the stack pointer or x29 plus an offset, and x29
 * and x30 are in their registers, or both in two words that follow one another.
 */
#include "elf/rule.h"

#define WORD  8
#define ALIGN 16 /* of the stack pointer, and of where it is kept */

static bool is_units(__s64 bytes, __s64 unit, __u64 max)
{
	return bytes >= 0 && bytes % unit == 0 && (__u64)bytes / unit <= max;
}

/* With the CFA at the stack pointer or x29 plus offset. */
static __u32 with_slot(__u64 number, __s64 offset, __u32 slot)
{
	const __s64 far = offset > 0 ? offset - WORD * (RULE_WORDS_MAX + 1LL) : -1;

	if (is_units(offset, WORD, RULE_WORDS_MAX))
		return rule_make(number == CFI_X31 ? RULE_SP : RULE_BP, offset / WORD, slot);
	if (number == CFI_X31 && is_units(far, WORD, RULE_SMALL_MAX))
		return rule_make_small(RULE_SPECIAL, RULE_SP_FAR, far / WORD, slot);
	return rule_unknown();
}

/* at: from the CFA down to where x29 is kept. */
static __u32 with_pair(__u64 number, __s64 offset, __s64 at)
{
	if (at == offset)
		return with_slot(number, offset, number == CFI_X31 ? RULE_SLOT_AT_SP : RULE_SLOT_AT_BP);
	if (at >= 2 * WORD && is_units(at, WORD, RULE_SLOT_MAX))
		return with_slot(number, offset, at / WORD);
	if (number == CFI_X31 && is_units(offset, ALIGN, RULE_PAIR_CFA_MAX) && at >= 2 * WORD &&
	    at <= offset && is_units(offset - at, ALIGN, RULE_PAIR_AT_MAX))
		return rule_make_pair(offset / ALIGN, (offset - at) / ALIGN);
	return rule_unknown();
}

/* Only x30 is kept, so many bytes below the CFA. */
static __u32 with_link(__u64 number, __s64 offset, __s64 at)
{
	if (number != CFI_X31 || !is_units(offset, ALIGN, RULE_SMALL_MAX) || at < WORD || at > offset ||
	    !is_units(at, WORD, RULE_SLOT_LOST))
		return rule_unknown();
	return rule_make_small(RULE_SPECIAL, RULE_LINK, offset / ALIGN, at / WORD);
}

__u32 rule_of_arm64(const struct cfi_state *state)
{
	const struct cfi_cfa *cfa = &state->cfa;
	const struct cfi_register *bp = &state->bp, *ip = &state->ip;

	if (ip->rule == CFI_UNDEFINED)
		return rule_make_small(RULE_SPECIAL, RULE_ROOT, 0, 0);
	if (!cfa->is_known || cfa->is_expression || (cfa->number != CFI_X29 && cfa->number != CFI_X31))
		return rule_unknown();
	if (ip->rule == CFI_SAME && bp->rule == CFI_SAME)
		return with_slot(cfa->number, cfa->offset, RULE_SLOT_SAME);
	if (ip->rule != CFI_AT_OFFSET || ip->offset >= 0 || ip->offset < -(1LL << 32))
		return rule_unknown();
	if (bp->rule == CFI_SAME)
		return with_link(cfa->number, cfa->offset, -ip->offset);
	if (bp->rule != CFI_AT_OFFSET || bp->offset != ip->offset - WORD)
		return rule_unknown();
	return with_pair(cfa->number, cfa->offset, -bp->offset);
}
