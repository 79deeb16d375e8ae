/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attributes.h - what a sample carries besides its stack (bpf/attributes.def), as nodes of the call tree.
 * Such a node is no frame: it says of what was counted at it, and below it, that the attribute had this
 * value. So the stack is that of its parent.
 *
 * A frame's code is below 2^20: it is a number of the table of codes, which has room for a quarter of 2^22
 * nodes at most (user/kern/tables.c), or is reserved. Of the code field's 22 bits the highest one marks
 * native code. The second one marks an attribute: which one is in the 8 bits behind it, and the other 12 bits
 * and the instruction are its value. So a value has 32 bits, enough for a number of the table of codes.
 *
 *       parent      code                                           instruction
 *     | 22 bits   | 0 | 1 | attribute: 8 bits | value: 12 bits   | value: 20 bits |
 */
#ifndef PYPERF_BPF_ABI_ATTRIBUTES_H
#define PYPERF_BPF_ABI_ATTRIBUTES_H

#include "bpf/abi/contexts.h"
#include "bpf/abi/tree.h"

enum attribute {
#define ATTRIBUTE(name, option, value, storage, label, help) ATTRIBUTE_##name,
#include "bpf/attributes.def"
#undef ATTRIBUTE
	ATTRIBUTES
};

#define ATTRIBUTE_VALUE_BITS  32
#define ATTRIBUTE_NUMBER_BITS 8

_Static_assert(ATTRIBUTES <= 1 << ATTRIBUTE_NUMBER_BITS, "an attribute's number has 8 bits of a node's key");
_Static_assert(ATTRIBUTE_VALUE_BITS + ATTRIBUTE_NUMBER_BITS + 2 == CODE_BITS + INSTR_BITS,
	       "an attribute's node has two marks, a number and a value");
_Static_assert(ATTRIBUTE_VARIABLE3 - ATTRIBUTE_VARIABLE0 + 1 == CONTEXT_LABELS, "each has a row");
_Static_assert(STATES <= ATTRIBUTE_VALUE_BITS, "a state is a bit of the value");

enum { ATTRIBUTE_IN_RECORD, ATTRIBUTE_IN_NODE, ATTRIBUTE_IN_TURN };

/* Those that ticks may have are so many, and the first ones. */
#define ATTRIBUTE(name, option, value, storage, label, help) +(ATTRIBUTE_IN_##storage == ATTRIBUTE_IN_NODE)
enum {
	ATTRIBUTES_OF_TICKS = 0
#include "bpf/attributes.def"
};
#undef ATTRIBUTE

#define ATTRIBUTE(name, option, value, storage, label, help)                                                 \
	_Static_assert((ATTRIBUTE_IN_##storage == ATTRIBUTE_IN_NODE) ==                                      \
			       (ATTRIBUTE_##name < (int)ATTRIBUTES_OF_TICKS),                                \
		       "those of turns come last");
#include "bpf/attributes.def"
#undef ATTRIBUTE

#define ATTRIBUTE(name, option, value, storage, label, help)                                                 \
	_Static_assert(ATTRIBUTE_IN_##storage, "no sample has a record of its own yet");
#include "bpf/attributes.def"
#undef ATTRIBUTE

/* The code field and the instruction of a node that gives an attribute this value. */
static inline __u32 attribute_code(enum attribute attribute, __u32 value)
{
	return NODE_ATTRIBUTE | attribute << (ATTRIBUTE_VALUE_BITS - INSTR_BITS) | value >> INSTR_BITS;
}

static inline __u32 attribute_instr(__u32 value)
{
	return value & ((1U << INSTR_BITS) - 1);
}

/*
 * The attribute that a node with this key has: an enum attribute, or ATTRIBUTES and more for one that is not
 * known.
 */
static inline __u32 attribute_of(__u64 key)
{
	return key >> ATTRIBUTE_VALUE_BITS & ((1U << ATTRIBUTE_NUMBER_BITS) - 1);
}

static inline __u32 attribute_value(__u64 key)
{
	return key;
}

#endif
