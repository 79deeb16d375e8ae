// SPDX-License-Identifier: GPL-2.0-only
#include "proc/remote.h"

#include <errno.h>
#include <stdint.h>
#include <sys/uio.h>

ssize_t remote_read_some(pid_t tid, __u64 address, void *dst, size_t size)
{
	struct iovec local = { .iov_base = dst, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };
	ssize_t n = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	return n < 0 ? -errno : n;
}

int remote_read(pid_t tid, __u64 address, void *dst, size_t size)
{
	ssize_t n = remote_read_some(tid, address, dst, size);

	if (n < 0)
		return n;
	return (size_t)n == size ? 0 : -EFAULT;
}
