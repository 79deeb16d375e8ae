/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture_remote.h - reads a code object of a live process, waiting for pages that are not in memory. Meant
 * for a worker process, which may block here for ever and can then be killed. Nothing read is trusted.
 */
#ifndef PYPERF_PYTHON_CAPTURE_REMOTE_H
#define PYPERF_PYTHON_CAPTURE_REMOTE_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"

/*
 * Fills *ret: type, pid, address, first_line, version, the parts and their data; code, process and
 * fingerprint are 0. Parts that cannot be read are flagged. Returns 0; or -ESRCH, -EPERM, -EFAULT, -EIO when
 * the object itself cannot be read. The bytes to pass on are capture_size() of bpf/python/capture.h, also returned
 * by capture_remote_size().
 */
int capture_remote(pid_t pid, const struct layout *layout, __u64 address, struct record_code *ret);
size_t capture_remote_size(const struct record_code *record);

/*
 * The whole of the bytes object at `address` (code_part.address of a table). Returns 0 with *ret to be
 * freed; -E2BIG above LINETABLE_MAX or for a negative size; -ENOMEM; or errors as above.
 */
int capture_remote_table(pid_t pid, const struct layout *layout, __u64 address, __u8 **ret, size_t *ret_len);

#endif
