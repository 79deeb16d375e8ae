/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rule.h - a state of the call frame instructions as the 20 bits of bpf/abi/native.h. They say what compilers
 * write. What they cannot say is unknown, and never something near to it.
 */
#ifndef PYPERF_ELF_RULE_H
#define PYPERF_ELF_RULE_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi/native.h"
#include "elf/cfi.h"

/* signal: struct eh_common.signal of the function. */
__u32 rule_of(const struct cfi_state *state, bool signal);

/* The same for arm64 (rule_arm64.c). */
__u32 rule_of_arm64(const struct cfi_state *state);

/* Whether it is a rule that one of them makes. */
bool rule_is_sane(__u32 rule);

#endif
