// SPDX-License-Identifier: GPL-2.0-only
#include "elf/cfi.h"

#include <errno.h>
#include <string.h>

/* The two upper bits of an instruction, if they are not 0; the others are its argument. */
#define CFA_ADVANCE_LOC 0x40
#define CFA_OFFSET	0x80
#define CFA_RESTORE	0xc0

/* The others (DW_CFA_). */
#define CFA_NOP			       0x00
#define CFA_SET_LOC		       0x01
#define CFA_ADVANCE_LOC1	       0x02
#define CFA_ADVANCE_LOC2	       0x03
#define CFA_ADVANCE_LOC4	       0x04
#define CFA_OFFSET_EXTENDED	       0x05
#define CFA_RESTORE_EXTENDED	       0x06
#define CFA_UNDEFINED		       0x07
#define CFA_SAME_VALUE		       0x08
#define CFA_REGISTER		       0x09
#define CFA_REMEMBER_STATE	       0x0a
#define CFA_RESTORE_STATE	       0x0b
#define CFA_DEF_CFA		       0x0c
#define CFA_DEF_CFA_REGISTER	       0x0d
#define CFA_DEF_CFA_OFFSET	       0x0e
#define CFA_DEF_CFA_EXPRESSION	       0x0f
#define CFA_EXPRESSION		       0x10
#define CFA_OFFSET_EXTENDED_SF	       0x11
#define CFA_DEF_CFA_SF		       0x12
#define CFA_DEF_CFA_OFFSET_SF	       0x13
#define CFA_VAL_OFFSET		       0x14
#define CFA_VAL_OFFSET_SF	       0x15
#define CFA_VAL_EXPRESSION	       0x16
#define CFA_ADVANCE_LOC8	       0x1d
#define CFA_AARCH64_SIGNED_WITH_PC     0x2c
#define CFA_AARCH64_SIGNED	       0x2d /* GNU's window_save, of another machine */
#define CFA_ARGS_SIZE		       0x2e
#define CFA_NEGATIVE_OFFSET_EXTENDED 0x2f

struct run {
	const struct eh_frame *section;
	const struct eh_common *common;
	struct reader r;
	__u64 at, end; /* addresses */
	cfi_fn fn;
	void *context;
	struct cfi_state now, initial;
	struct cfi_state remembered[CFI_REMEMBERED];
	int depth;
};

/* The present state holds up to this address. An address before the present one is malformed. */
static int advance_to(struct run *c, __u64 address)
{
	const __u64 begin = c->at, end = address < c->end ? address : c->end;

	if (address < begin)
		return -EBADMSG;
	c->at = address;
	return end > begin ? c->fn(c->context, begin, end, &c->now) : 0;
}

static int advance_by(struct run *c, __u64 units)
{
	__u64 bytes, address;

	if (__builtin_mul_overflow(units, c->common->code_factor, &bytes) ||
	    __builtin_add_overflow(c->at, bytes, &address))
		return -EBADMSG;
	return advance_to(c, address);
}

/* The distance is a number of this many bytes. */
static int advance_by_operand(struct run *c, size_t size)
{
	__u64 units = 0; /* little-endian, as the file is */

	return reader_take(&c->r, &units, size) ?: advance_by(c, units);
}

static int set_location(struct run *c)
{
	__u64 address;

	return eh_frame_address(c->section, &c->r, c->common->encoding, &address) ?: advance_to(c, address);
}

static bool is_arm64(const struct run *c)
{
	return c->common->return_register == CFI_X30;
}

/* NULL: a register that is not needed. */
static struct cfi_register *register_of(const struct run *c, struct cfi_state *state, __u64 number)
{
	if (number == c->common->return_register)
		return &state->ip;
	return number == (is_arm64(c) ? CFI_X29 : CFI_RBP) ? &state->bp : NULL;
}

static void set_rule(struct run *c, __u64 number, struct cfi_register is)
{
	struct cfi_register *reg = register_of(c, &c->now, number);

	if (reg)
		*reg = is;
}

static __s64 factored(const struct run *c, __u64 value)
{
	return value * (__u64)c->common->data_factor;
}

static void set_offset(struct run *c, __u64 number, __u64 value)
{
	set_rule(c, number, (struct cfi_register){ .rule = CFI_AT_OFFSET, .offset = factored(c, value) });
}

static int restore(struct run *c, __u64 number)
{
	const struct cfi_register *reg = register_of(c, &c->initial, number);

	if (reg)
		set_rule(c, number, *reg);
	return 0;
}

static int take_expression(struct run *c, struct reader *ret)
{
	__u64 size;

	return reader_unsigned(&c->r, &size) ?: reader_part(&c->r, size, ret);
}

static int define_cfa(struct run *c, __u8 instruction)
{
	struct cfi_cfa cfa = { .is_known = true };
	__s64 offset;
	int err = reader_unsigned(&c->r, &cfa.number);

	if (instruction == CFA_DEF_CFA_SF) {
		err = err ?: reader_signed(&c->r, &offset);
		cfa.offset = err ? 0 : factored(c, offset);
	} else {
		err = err ?: reader_unsigned(&c->r, (__u64 *)&cfa.offset);
	}
	if (!err)
		c->now.cfa = cfa;
	return err;
}

/* A part of the CFA changes. A register in place of an expression ends that, an offset does not. */
static int change_cfa(struct run *c, __u8 instruction)
{
	struct cfi_cfa *cfa = &c->now.cfa;
	struct reader expression;
	__s64 offset;
	int err;

	switch (instruction) {
	case CFA_DEF_CFA_REGISTER:
		cfa->is_expression = false;
		return reader_unsigned(&c->r, &cfa->number);
	case CFA_DEF_CFA_OFFSET:
		return reader_unsigned(&c->r, (__u64 *)&cfa->offset);
	case CFA_DEF_CFA_OFFSET_SF:
		err = reader_signed(&c->r, &offset);
		if (!err)
			cfa->offset = factored(c, offset);
		return err;
	}
	err = take_expression(c, &expression);
	if (!err) {
		cfa->expression = expression;
		cfa->is_known = cfa->is_expression = true;
	}
	return err;
}

/* Instructions whose first operand is the number of a register. */
static int change_register(struct run *c, __u8 instruction)
{
	struct cfi_register other = { .rule = CFI_OTHER }, expression = { .rule = CFI_EXPRESSION };
	__u64 number, value;
	__s64 offset;
	int err = reader_unsigned(&c->r, &number);

	if (err)
		return err;
	switch (instruction) {
	case CFA_OFFSET_EXTENDED:
	case CFA_NEGATIVE_OFFSET_EXTENDED:
		err = reader_unsigned(&c->r, &value);
		if (!err)
			set_offset(c, number, instruction == CFA_OFFSET_EXTENDED ? value : -value);
		return err;
	case CFA_OFFSET_EXTENDED_SF:
		err = reader_signed(&c->r, &offset);
		if (!err)
			set_offset(c, number, offset);
		return err;
	case CFA_RESTORE_EXTENDED:
		return restore(c, number);
	case CFA_UNDEFINED:
		set_rule(c, number, (struct cfi_register){ .rule = CFI_UNDEFINED });
		return 0;
	case CFA_SAME_VALUE:
		set_rule(c, number, (struct cfi_register){ .rule = CFI_SAME });
		return 0;
	case CFA_EXPRESSION:
		err = take_expression(c, &expression.expression);
		set_rule(c, number, expression);
		return err;
	case CFA_VAL_EXPRESSION:
		set_rule(c, number, other);
		return take_expression(c, &expression.expression);
	}
	set_rule(c, number, other); /* register, val_offset, val_offset_sf; a signed operand is as long */
	return reader_unsigned(&c->r, &value);
}

static int remember(struct run *c)
{
	if (c->depth == CFI_REMEMBERED)
		return -EBADMSG;
	c->remembered[c->depth++] = c->now;
	return 0;
}

static int recall(struct run *c)
{
	if (!c->depth)
		return -EBADMSG;
	c->now = c->remembered[--c->depth];
	return 0;
}

/* Executes an instruction that has no argument in its own byte. */
static int execute_plain(struct run *c, __u8 instruction)
{
	__u64 value;

	switch (instruction) {
	case CFA_NOP:
		return 0;
	case CFA_SET_LOC:
		return set_location(c);
	case CFA_ADVANCE_LOC1:
		return advance_by_operand(c, 1);
	case CFA_ADVANCE_LOC2:
		return advance_by_operand(c, 2);
	case CFA_ADVANCE_LOC4:
		return advance_by_operand(c, 4);
	case CFA_ADVANCE_LOC8:
		return advance_by_operand(c, 8);
	case CFA_REMEMBER_STATE:
		return remember(c);
	case CFA_RESTORE_STATE:
		return recall(c);
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
		return define_cfa(c, instruction);
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION:
		return change_cfa(c, instruction);
	case CFA_OFFSET_EXTENDED ... CFA_REGISTER:
	case CFA_EXPRESSION:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_VAL_OFFSET ... CFA_VAL_EXPRESSION:
	case CFA_NEGATIVE_OFFSET_EXTENDED:
		return change_register(c, instruction);
	case CFA_AARCH64_SIGNED_WITH_PC:
	case CFA_AARCH64_SIGNED: /* whether it is or not, nothing but the address is taken */
		return is_arm64(c) ? 0 : -EBADMSG;
	case CFA_ARGS_SIZE: /* for what a landing pad finds on the stack */
		return reader_unsigned(&c->r, &value);
	}
	return -EBADMSG;
}

static int execute_instruction(struct run *c, __u8 instruction)
{
	const __u8 argument = instruction & 0x3f;
	__u64 value;
	int err;

	switch (instruction & 0xc0) {
	case CFA_ADVANCE_LOC:
		return advance_by(c, argument);
	case CFA_OFFSET:
		err = reader_unsigned(&c->r, &value);
		if (!err)
			set_offset(c, argument, value);
		return err;
	case CFA_RESTORE:
		return restore(c, argument);
	}
	return execute_plain(c, instruction);
}

static int execute_instructions(struct run *c, struct reader instructions)
{
	__u8 instruction;
	int err = 0;

	c->r = instructions;
	while (!err && reader_left(&c->r)) {
		err = reader_take(&c->r, &instruction, 1);
		err = err ?: execute_instruction(c, instruction);
	}
	return err;
}

int cfi_run(const struct eh_frame *section, const struct eh_function *f, cfi_fn fn, void *context)
{
	struct run c = { .section = section, .common = &f->common, .fn = fn, .context = context };
	int err;

	if ((f->common.return_register != CFI_RIP && f->common.return_register != CFI_X30) ||
	    __builtin_add_overflow(f->address, f->size, &c.end))
		return -EBADMSG;
	c.at = c.end; /* what is common has no addresses, and moves nothing */
	err = execute_instructions(&c, f->common.instructions);
	if (err)
		return err;
	c.initial = c.now;
	c.depth = 0;
	c.at = f->address;
	err = execute_instructions(&c, f->instructions);
	return err ?: advance_to(&c, c.at < c.end ? c.end : c.at);
}
