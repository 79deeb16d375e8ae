// SPDX-License-Identifier: GPL-2.0-only
/* target_memory.c - see target_memory.h. */
#include <errno.h>

#include "proc/remote.h"
#include "python/target_memory.h"

static pid_t target;
static int unreachable;

void target_memory_choose(pid_t tid)
{
	target = tid;
	unreachable = 0;
}

int target_memory_error(void)
{
	return unreachable;
}

int target_memory_read(void *dst, __u32 size, __u64 address)
{
	int err = remote_read(target, address, dst, size);

	if (err && err != -EFAULT)
		unreachable = err;
	return err ? -EFAULT : 0;
}
