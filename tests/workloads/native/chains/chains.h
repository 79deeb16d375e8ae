/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - a library of functions that call each other in ways that are written down in ../chains.py. Each
 * chain ends in spin(), or in a function that burns CPU time itself; n is how long.
 */
#ifndef CHAINS_H
#define CHAINS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call is a call of this very function: nothing is inlined or copied. */
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
#define FUNCTION ALONE uint64_t

uint64_t spin(uint64_t n);
uint64_t bare_leaf(uint64_t n);
uint64_t bare_middle(uint64_t n);
uint64_t far_away(uint64_t n);
uint64_t calls_far_away(uint64_t n);

static inline __attribute__((always_inline)) uint64_t burn(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(x) : "r"(i));
	return x;
}

#ifdef __cplusplus
}
#endif
#endif
