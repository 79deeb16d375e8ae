/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * no_memory.h - mem_read() (bpf/base/mem.h) for tests in which no memory of a target is to be read: each read
 * fails. To be included before what reads.
 */
#ifndef PYPERF_TESTS_NO_MEMORY_H
#define PYPERF_TESTS_NO_MEMORY_H

#include <errno.h>
#include <string.h>
#include <linux/types.h>

static int mem_read(void *dst, __u32 size, __u64 address)
{
	(void)address;
	memset(dst, 0, size);
	return -EFAULT;
}

#endif
