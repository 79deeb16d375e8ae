/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - reads the memory of the process that is looked at.
 */
#ifndef PYPERF_HOSTED_MEMORY_H
#define PYPERF_HOSTED_MEMORY_H

#include <sys/types.h>
#include <linux/types.h>

/* Whose memory it is from here on, by one of its threads. */
void memory_begin(pid_t tid);
/* 0 or -EFAULT; then dst is all zero. */
int memory_read(void *dst, __u32 size, __u64 address);
/* How many reads were refused since memory_begin(), for want of a right. */
__u32 memory_refused(void);

#endif
