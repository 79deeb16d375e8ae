/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - reads the memory of the process that is looked at. What was read ahead between two walks is
 * served from there.
 */
#ifndef PYPERF_HOSTED_MEMORY_H
#define PYPERF_HOSTED_MEMORY_H

#include <sys/types.h>
#include <linux/types.h>

/* Whose memory it is, by one of its threads. Nothing is kept. */
void memory_begin(pid_t tid);
/* 0 or -EFAULT; then dst is all zero. */
int memory_read(void *dst, __u32 size, __u64 address);
/* Reads these at once, of one size each, and keeps them. At most MEMORY_KEPT of them. */
#define MEMORY_KEPT	  1024
#define MEMORY_KEPT_BYTES 256
void memory_keep(const __u64 *addresses, unsigned int count, __u32 size);
/*
 * Reads all that was read until now once more, in one call: so fast does the process hardly change. It is
 * served until the next time.
 */
#define MEMORY_PARTS 1024
#define MEMORY_STORE (1 << 20) /* bytes */
void memory_fetch(void);
/* From here on what is kept is served, and nothing else. */
void memory_serve(void);
/* How many calls that took, and how many of them were refused, in all. */
extern __u64 memory_calls, memory_refused;

#endif
