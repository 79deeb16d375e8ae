// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

static pid_t target;
static __u32 refused;

void memory_begin(pid_t tid)
{
	target = tid;
	refused = 0;
}

int memory_read(void *dst, __u32 size, __u64 address)
{
	const struct iovec to = { dst, size }, from = { (void *)(uintptr_t)address, size };

	if (process_vm_readv(target, &to, 1, &from, 1, 0) == (ssize_t)size)
		return 0;
	refused += errno == EPERM;
	memset(dst, 0, size);
	return -EFAULT;
}

__u32 memory_refused(void)
{
	return refused;
}
