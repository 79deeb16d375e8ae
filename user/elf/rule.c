// SPDX-License-Identifier: GPL-2.0-only
#include "elf/rule.h"

#include <string.h>

#define WORD 8

/* Operations of expressions (DW_OP_). Those with a register are followed by a signed offset. */
#define OP_DEREF     0x06
#define OP_AND	     0x1a
#define OP_PLUS	     0x22
#define OP_PLUS_U    0x23
#define OP_SHL	     0x24
#define OP_GE	     0x2a
#define OP_LIT0	     0x30
#define OP_BREG_RBP  (0x70 + CFI_RBP)
#define OP_BREG_RSP  (0x70 + CFI_RSP)
#define OP_BREG_RIP  (0x70 + CFI_RIP)

static bool is_words(__s64 bytes, __u64 max)
{
	return bytes >= 0 && bytes % WORD == 0 && (__u64)bytes / WORD <= max;
}

/* Takes an expression apart: the register and offset with which it begins, and the rest. */
static bool takes(struct reader *r, __u8 operation, __s64 *ret_offset)
{
	__u8 first;

	return !reader_take(r, &first, 1) && first == operation && !reader_signed(r, ret_offset);
}

static bool is_rest(const struct reader *r, const __u8 *bytes, size_t size)
{
	return reader_left(r) == size && !memcmp(r->at, bytes, size);
}

/*
 * The entries of a procedure linkage table push a word in the middle, and are so many and so alike that one
 * expression describes them all: rsp + 8 + ((rip & 15) >= argument) * 8.
 */
static bool is_plt(struct reader r, __u32 *ret_argument)
{
	const __u8 before[] = { OP_LIT0 + 15, OP_AND }, behind[] = { OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };
	__s64 offset;
	__u8 literal;

	if (!takes(&r, OP_BREG_RSP, &offset) || offset != WORD || !takes(&r, OP_BREG_RIP, &offset) || offset)
		return false;
	if (reader_left(&r) < sizeof(before) || memcmp(r.at, before, sizeof(before)))
		return false;
	r.at += sizeof(before);
	if (reader_take(&r, &literal, 1) || literal < OP_LIT0 || literal > OP_LIT0 + 15 ||
	    !is_rest(&r, behind, sizeof(behind)))
		return false;
	*ret_argument = literal - OP_LIT0;
	return true;
}

/* Functions that align the stack keep the caller's stack pointer in a word below rbp. */
static bool is_word_below_bp(struct reader r, __u32 *ret_argument)
{
	const __u8 behind[] = { OP_DEREF };
	__s64 offset;

	if (!takes(&r, OP_BREG_RBP, &offset) || offset < -(__s64)RULE_SMALL_MAX * WORD ||
	    !is_words(-offset, RULE_SMALL_MAX) || !is_rest(&r, behind, sizeof(behind)))
		return false;
	*ret_argument = -offset / WORD;
	return true;
}

/*
 * Code that is written by hand and aligns the stack keeps the caller's stack pointer in a word of it, or just
 * below it, where signals leave it alone.
 */
static bool is_word_above_sp(struct reader r, __u32 *ret_argument)
{
	__u8 operations[2];
	__s64 offset;
	__u64 more;

	if (!takes(&r, OP_BREG_RSP, &offset) || offset % WORD || rule_signed(offset / WORD) != offset / WORD)
		return false;
	if (reader_take(&r, operations, 2) || operations[0] != OP_DEREF || operations[1] != OP_PLUS_U)
		return false;
	if (reader_unsigned(&r, &more) || more != WORD || reader_left(&r)) /* it may be longer than need be */
		return false;
	*ret_argument = offset / WORD & RULE_SMALL_MAX;
	return true;
}

static bool is_signal(struct reader r)
{
	const __u8 behind[] = { OP_DEREF };
	__s64 offset;

	return takes(&r, OP_BREG_RSP, &offset) && offset == CONTEXT_SP && is_rest(&r, behind, sizeof(behind));
}

static bool is_at_bp(struct reader r)
{
	__s64 offset;

	return takes(&r, OP_BREG_RBP, &offset) && !offset && !reader_left(&r);
}

static __u32 slot_of(const struct cfi_register *bp)
{
	switch (bp->rule) {
	case CFI_SAME:
		return RULE_SLOT_SAME;
	case CFI_AT_OFFSET:
		if (bp->offset < 0 && bp->offset >= -RULE_SLOT_MAX * WORD && bp->offset % WORD == 0)
			return -bp->offset / WORD;
		break;
	case CFI_EXPRESSION:
		if (is_at_bp(bp->expression))
			return RULE_SLOT_AT_BP;
		break;
	default:
		break;
	}
	return RULE_SLOT_LOST;
}

static __u32 rule_of_expression(const struct reader *expression, __u32 slot)
{
	__u32 argument;

	if (is_plt(*expression, &argument))
		return rule_make_small(RULE_SPECIAL, RULE_PLT, argument, slot);
	if (is_word_below_bp(*expression, &argument))
		return rule_make_small(RULE_SPECIAL, RULE_DEREF, argument, slot);
	if (is_word_above_sp(*expression, &argument))
		return rule_make_small(RULE_SPECIAL, RULE_DEREF_SP, argument, slot);
	return rule_unknown();
}

static __u32 rule_of_register(__u64 number, __s64 offset, __u32 slot)
{
	const __s64 far = offset > 0 ? offset - WORD * (RULE_WORDS_MAX + 1LL) : -1;

	if (number == CFI_RSP && is_words(offset, RULE_WORDS_MAX))
		return rule_make(RULE_SP, offset / WORD, slot);
	if (number == CFI_RBP && is_words(offset, RULE_WORDS_MAX))
		return rule_make(RULE_BP, offset / WORD, slot);
	if (number == CFI_RSP && is_words(far, RULE_SMALL_MAX))
		return rule_make_small(RULE_SPECIAL, RULE_SP_FAR, far / WORD, slot);
	if (number == CFI_RSP || number == CFI_RBP || number > 15 || !is_words(offset, RULE_SMALL_MAX))
		return rule_unknown();
	return rule_make_small(RULE_REGISTER, number, offset / WORD, slot);
}

__u32 rule_of(const struct cfi_state *state, bool signal)
{
	const struct cfi_cfa *cfa = &state->cfa;
	const __u32 slot = slot_of(&state->bp);

	if (signal && cfa->is_expression && is_signal(cfa->expression))
		return rule_make_small(RULE_SPECIAL, RULE_SIGNAL, 0, 0);
	if (state->ip.rule == CFI_UNDEFINED)
		return rule_make_small(RULE_SPECIAL, RULE_ROOT, 0, 0);
	if (!cfa->is_known || state->ip.rule != CFI_AT_OFFSET || state->ip.offset != -WORD)
		return rule_unknown();
	if (cfa->is_expression)
		return rule_of_expression(&cfa->expression, slot);
	return rule_of_register(cfa->number, cfa->offset, slot);
}

bool rule_is_sane(__u32 rule)
{
	return rule < 1U << RULE_BITS &&
	       (rule_kind(rule) != RULE_SPECIAL || rule_which(rule) < RULE_SPECIALS);
}
