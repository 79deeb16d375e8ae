/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flat_memory.h - the memory of a process that does not exist, in one piece, and mem_read() of it. The
 * includer defines BASE, the address at which it begins, and WORDS, its size.
 */
#ifndef PYPERF_TESTS_FLAT_MEMORY_H
#define PYPERF_TESTS_FLAT_MEMORY_H

#include <errno.h>
#include <string.h>
#include <linux/types.h>

static __u64 memory[WORDS];

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (address < BASE || address - BASE > sizeof(memory) || size > sizeof(memory) - (address - BASE))
		return -EFAULT;
	memcpy(dst, (const __u8 *)memory + (address - BASE), size);
	return 0;
}

#endif
