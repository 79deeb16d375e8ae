/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - reads the memory of the process that is looked at. A look is likely to read what the one before
 * it has read, so that is read by one system call.
 */
#ifndef PYPERF_HOSTED_MEMORY_H
#define PYPERF_HOSTED_MEMORY_H

#include <sys/types.h>
#include <linux/types.h>

#define MEMORY_PLACES 16

/* What a look has read first, in its order; all zero = there was none. */
struct memory_places {
	struct memory_place {
		__u64 address;
		__u32 size;
	} at[MEMORY_PLACES];
	__u32 count;
};

/*
 * A look begins at the memory of this thread's process. places: what the last one has read; from here on, and
 * for as long as memory_read() is called, what this one does.
 */
void memory_begin(pid_t tid, struct memory_places *places);
/* 0 or -EFAULT; then dst is all zero. */
int memory_read(void *dst, __u32 size, __u64 address);
/* How many reads were refused since memory_begin(), for want of a right. */
__u32 memory_refused(void);

#endif
