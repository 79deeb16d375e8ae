/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target_memory.h - mem_read() of bpf/base/mem.h for what is compiled from bpf/ for the memory of a live
 * process. It takes no context, so whose memory it reads is kept here, in one place for all of the program.
 * Whoever begins to read another process says so first. There are no threads (docs/internals/worker.md).
 */
#ifndef PYPERF_PYTHON_TARGET_MEMORY_H
#define PYPERF_PYTHON_TARGET_MEMORY_H

#include <sys/types.h>
#include <linux/types.h>

/* From now on the memory of this thread's process is read, and no read of it has failed. */
void target_memory_choose(pid_t tid);

/* 0, or the -errno of a read since then that says that no memory of that process can be read. */
int target_memory_error(void);

/* Reads size bytes. Returns 0 or -EFAULT, whatever the reason is. */
int target_memory_read(void *dst, __u32 size, __u64 address);

static inline int mem_read(void *dst, __u32 size, __u64 address)
{
	return target_memory_read(dst, size, address);
}

#endif
