// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture_remote.c - see capture_remote.h. The copying itself is the kernel side's bpf/python/capture.h,
 * compiled here against proc/remote.h.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/remote.h"
#include "python/capture_remote.h"
#include "python/target_memory.h"
#include "bpf/python/capture.h"

int capture_remote(pid_t pid, const struct layout *layout, __u64 address, struct record_code *ret)
{
	_cleanup_free_ struct record_code *record = calloc(1, sizeof(*record));
	int err;

	if (!record)
		return -ENOMEM;
	target_memory_choose(pid);
	err = capture_code(record, layout, address);
	if (err)
		return target_memory_error() ?: err;
	record->type = RECORD_CODE;
	record->pid = (__u32)pid;
	memcpy(ret, record, sizeof(*ret));
	return 0;
}

size_t capture_remote_size(const struct record_code *record)
{
	return capture_size(record);
}

int capture_remote_table(pid_t pid, const struct layout *layout, __u64 address, __u8 **ret, size_t *ret_len)
{
	_cleanup_free_ __u8 *bytes = NULL;
	__u64 len;
	int err;

	err = remote_read(pid, address + layout->bytes_size, &len, sizeof(len));
	if (err)
		return err;
	if (len > LINETABLE_MAX)
		return -E2BIG;
	bytes = malloc(len + 1);
	if (!bytes)
		return -ENOMEM;
	err = len ? remote_read(pid, address + layout->bytes_data, bytes, len) : 0;
	if (err)
		return err;
	*ret = TAKE_PTR(bytes);
	*ret_len = len;
	return 0;
}
