// SPDX-License-Identifier: GPL-2.0-only
/* Frames of every kind that a compiler makes. Built so that no call becomes a jump (native.sh). */
#include <alloca.h>
#include <string.h>

#include "chains.h"

FUNCTION spin(uint64_t n)
{
	return burn(n);
}

/* --- depth ------------------------------------------------------------------------------------------ */

static FUNCTION deep(uint64_t levels, uint64_t n)
{
	return levels ? deep(levels - 1, n) : spin(n);
}

FUNCTION recursion(uint64_t n)
{
	return deep(60, n);
}

/* --- sizes ------------------------------------------------------------------------------------------ */

static void keep(volatile char *memory)
{
	memory[0] = 1;
	__asm__ volatile("" : : "r"(memory) : "memory");
}

/* A leaf whose stack pointer is nowhere near where it was when it was called. */
static FUNCTION with_alloca(uint64_t n)
{
	keep(alloca(1000 + n % 5000));
	return burn(n);
}

FUNCTION leaf_with_alloca(uint64_t n)
{
	return with_alloca(n);
}

FUNCTION large_frame(uint64_t n)
{
	volatile char memory[60 << 10];

	keep(memory);
	return spin(n) + memory[0];
}

/* Larger than a row can say. */
FUNCTION huge_frame(uint64_t n)
{
	volatile char memory[1 << 20];

	keep(memory);
	return spin(n) + memory[0];
}

/*
 * What is aligned by more than the stack is, as AVX's registers are, beside arguments on the stack: then
 * compilers keep the caller's stack pointer in memory (DRAP).
 */
static FUNCTION realigned(uint64_t n, int b, int c, int d, int e, int f, int g, int h)
{
	_Alignas(64) volatile char aligned[256];

	keep(aligned);
	keep(alloca(16 + n % 50));
	return spin(n) + aligned[0] + b + c + d + e + f + g + h;
}

FUNCTION realigns(uint64_t n)
{
	return realigned(n, 1, 2, 3, 4, 5, 6, 7);
}

/* The same, and it burns CPU time itself. */
static FUNCTION realigned_leaf(uint64_t n, int b, int c, int d, int e, int f, int g, int h)
{
	_Alignas(64) volatile char aligned[256];

	keep(aligned);
	keep(alloca(16 + n % 50));
	return burn(n) + aligned[0] + b + c + d + e + f + g + h;
}

FUNCTION realigns_leaf(uint64_t n)
{
	return realigned_leaf(n, 1, 2, 3, 4, 5, 6, 7);
}

/* --- frame pointers --------------------------------------------------------------------------------- */

static uint64_t with_pointer(uint64_t levels, uint64_t n);

__attribute__((optimize("omit-frame-pointer"))) static FUNCTION without_pointer(uint64_t levels, uint64_t n)
{
	return levels ? with_pointer(levels - 1, n) : spin(n);
}

__attribute__((optimize("no-omit-frame-pointer"))) static FUNCTION with_pointer(uint64_t levels, uint64_t n)
{
	return without_pointer(levels, n);
}

FUNCTION frame_pointers(uint64_t n)
{
	return with_pointer(3, n);
}

/* --- calls ------------------------------------------------------------------------------------------ */

static FUNCTION hidden(uint64_t n)
{
	return spin(n);
}

FUNCTION static_function(uint64_t n)
{
	return hidden(n);
}

/* The callee is of another library, and so short that much of the time goes by on the way to it. */
FUNCTION through_plt(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n / 8; i++)
		sum += far_away(i);
	return sum;
}

FUNCTION other_library(uint64_t n)
{
	return calls_far_away(n);
}

/* Functions without an entry in .eh_frame. */
FUNCTION without_rows(uint64_t n)
{
	return bare_leaf(n);
}

FUNCTION without_rows_within(uint64_t n)
{
	return bare_middle(n);
}

/* --- Python within ---------------------------------------------------------------------------------- */

FUNCTION calls_back(uint64_t n, uint64_t (*function)(uint64_t))
{
	return function(n);
}
