/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remote.h - reads the memory of another process. That process is not stopped, so what is read may change
 * meanwhile. The call waits for pages that are not in memory, and for ever if they never come, so it is meant
 * for the worker process.
 */
#ifndef PYPERF_PROC_REMOTE_H
#define PYPERF_PROC_REMOTE_H

#include <sys/types.h>
#include <linux/types.h>

/*
 * Reads from address on, through thread tid. Returns how many bytes, at least 1: fewer than size when the
 * rest is not mapped. -EFAULT when nothing is there; -ESRCH when the thread is gone, or has given up its
 * memory; -EPERM.
 */
ssize_t remote_read_some(pid_t tid, __u64 address, void *dst, size_t size);

/* All of it: 0; -EFAULT when a part is not mapped, and then dst may have been written to; errors as above. */
int remote_read(pid_t tid, __u64 address, void *dst, size_t size);

/* A part of what is read at once: size bytes from address on. */
struct remote_part {
	__u64 address;
	void *dst;
	size_t size;
	size_t got; /* bytes that were there, from the first one on */
};

/*
 * Reads up to REMOTE_PARTS parts, mostly by one system call. Of a part that is not there got is 0. 0, or an
 * error as above but -EFAULT.
 */
#define REMOTE_PARTS 32
int remote_read_parts(pid_t tid, struct remote_part *parts, size_t count);

#endif
