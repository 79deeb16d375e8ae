// SPDX-License-Identifier: GPL-2.0-only
/*
 * own_malloc.c - malloc() of the programs of unit tests: it fails when fail_malloc.h says so.
 */
#include <errno.h>
#include <stdlib.h>

#include "tests/forge/fail_malloc.h"

long allocations_left = -1;
bool fails_once;

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static bool allocation_fails(void)
{
	if (allocations_left < 0 || allocations_left-- > 0)
		return false;
	allocations_left = fails_once ? -1 : 0;
	errno = ENOMEM;
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
