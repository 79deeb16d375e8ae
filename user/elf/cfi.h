/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cfi.h - executes the call frame instructions of one function: from which address on its caller is found in
 * which way. For x86-64 and arm64, which the column of the return address tells apart, and of their registers
 * only those that the way up the stack needs. Instructions: DWARF 5, section 6.4.2, and those of GNU and Arm.
 */
#ifndef PYPERF_ELF_CFI_H
#define PYPERF_ELF_CFI_H

#include "elf/eh_frame.h"

/* DWARF numbers of registers. */
#define CFI_RBP 6
#define CFI_RSP 7
#define CFI_RIP 16 /* the column of the return address */
#define CFI_X29 29
#define CFI_X30 30 /* of the return address, too */
#define CFI_X31 31 /* the stack pointer */

#define CFI_REMEMBERED 16 /* states at most; compilers keep one or two */

enum cfi_rule {
	CFI_SAME,	/* the register has the caller's value */
	CFI_UNDEFINED,	/* the caller's value is lost */
	CFI_AT_OFFSET,	/* it is in memory, at the CFA plus offset */
	CFI_EXPRESSION, /* it is in memory, at the address that the expression yields */
	CFI_OTHER,	/* another register has it, or it is computed */
};

/* How to find the caller's value of a register. */
struct cfi_register {
	enum cfi_rule rule;
	__s64 offset;
	struct reader expression;
};

/* The canonical frame address (CFA): the value of an expression, or else a register plus offset. */
struct cfi_cfa {
	bool is_known;
	bool is_expression;
	__u64 number; /* of the register */
	__s64 offset;
	struct reader expression;
};

struct cfi_state {
	struct cfi_cfa cfa;
	struct cfi_register bp, ip; /* rbp or x29, and the return address */
};

/* Is called with what holds from begin to end, which is higher, in ascending order. */
typedef int (*cfi_fn)(void *context, __u64 begin, __u64 end, const struct cfi_state *state);

/*
 * f: of eh_frame_read(). Returns 0; -EBADMSG when an instruction is malformed or not known, and then nothing
 * is said of the rest of the function; or what fn returned, if that is not 0.
 */
int cfi_run(const struct eh_frame *section, const struct eh_function *f, cfi_fn fn, void *context);

#endif
