/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fail_malloc.h - makes the n-th allocation of a test from now fail, and those after it. Programs of unit
 * tests have a malloc() of their own for that (own_malloc.c). Under the address sanitizer, which brings its
 * own, fail_malloc_works() is false.
 */
#ifndef PYPERF_TESTS_FAIL_MALLOC_H
#define PYPERF_TESTS_FAIL_MALLOC_H

#include <errno.h>
#include <stdbool.h>

extern long allocations_left; /* negative = without end */
extern bool fails_once;	      /* then there is memory again */

static inline bool fail_malloc_works(void)
{
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
	return false;
#else
	return true;
#endif
}

#endif
