/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tail_calls.h - the loop of an interpreter that is made of tail calls (CPython 3.14 and later, built by
 * Clang with --with-tail-call-interp): a function for each instruction, and each jumps to the next one
 * through one table, INSTRUCTION_TABLE in Python/ceval.c. With symbols these functions are called
 * _TAIL_CALL_...; in a stripped file only the table tells what they are.
 */
#ifndef PYPERF_ELF_TAIL_CALLS_H
#define PYPERF_ELF_TAIL_CALLS_H

#include "elf/code_file.h"

/* The beginning of a lost name: the loop's functions without a symbol are called so. */
#define TAIL_CALLS_NAME "_TAIL_CALL_"

/*
 * Looks through all code of a file for x86-64. parts: where its functions begin, as n offsets in order. Sets
 * ret_is[i] of each that jumps through a table that no fewer than a hundred of them jump through; in any
 * other build the loop is one function, with two or three parts. 0, also when there are none; -ENOMEM or
 * what reading the file fails with.
 */
int tail_calls_find(int fd, const struct code_loads *loads, const __u32 *parts, size_t n, bool *ret_is);

#endif
