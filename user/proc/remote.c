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

/* One system call, from part first on. The kernel stops at the first part that is not all there. */
static ssize_t read_from(pid_t tid, struct remote_part *parts, size_t first, size_t count)
{
	struct iovec local[REMOTE_PARTS], remote[REMOTE_PARTS];
	ssize_t n;

	for (size_t i = first; i < count; i++) {
		local[i - first] = (struct iovec){ parts[i].dst, parts[i].size };
		remote[i - first] = (struct iovec){ (void *)(uintptr_t)parts[i].address, parts[i].size };
	}
	n = process_vm_readv(tid, local, count - first, remote, count - first, 0);
	return n < 0 ? -errno : n;
}

int remote_read_parts(pid_t tid, struct remote_part *parts, size_t count)
{
	if (count > REMOTE_PARTS)
		return -E2BIG;
	for (size_t i = 0; i < count; i++)
		parts[i].got = 0;
	for (size_t first = 0; first < count; first++) {
		ssize_t n = read_from(tid, parts, first, count);

		if (n < 0 && n != -EFAULT)
			return (int)n;
		for (; n > 0 && first < count; first++) {
			parts[first].got = (size_t)n < parts[first].size ? (size_t)n : parts[first].size;
			n -= (ssize_t)parts[first].got;
			if (parts[first].got < parts[first].size)
				break;
		}
	}
	return 0;
}
