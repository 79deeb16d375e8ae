/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fail_malloc.h - the test program's own malloc(), to make the n-th allocation from now fail, and those after
 * it. Include it in one file only. Under the address sanitizer, which brings its own, fail_malloc_works() is
 * false.
 */
#ifndef PYPERF_TESTS_FAIL_MALLOC_H
#define PYPERF_TESTS_FAIL_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static long allocations_left = -1; /* negative = without end */
static bool fails_once __attribute__((unused)); /* then there is memory again */

static inline bool allocation_fails(void)
{
	if (allocations_left < 0 || allocations_left-- > 0)
		return false;
	allocations_left = fails_once ? -1 : 0;
	errno = ENOMEM;
	return true;
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
static inline bool fail_malloc_works(void)
{
	return false;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static inline bool fail_malloc_works(void)
{
	return true;
}

void *malloc(size_t size)
{
	return allocation_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return allocation_fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return allocation_fails() ? NULL : __libc_realloc(p, size);
}
#endif

#endif
