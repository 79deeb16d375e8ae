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
 * Reads the code object at address into *ret: type, pid, address, first_line, version, the parts and their
 * data. The fields code, process and fingerprint are set to 0. Parts that cannot be read are flagged. Returns
 * 0; or -ESRCH, -EPERM, -EFAULT or -EIO when the object itself cannot be read. capture_remote_size() says how
 * many bytes of the record are in use, as capture_size() of bpf/python/capture.h does.
 */
int capture_remote(pid_t pid, const struct layout *layout, __u64 address, struct record_code *ret);
size_t capture_remote_size(const struct record_code *record);

/*
 * Reads all of the bytes object at `address`, which is the code_part.address of a line table. Returns 0, and
 * the caller frees *ret; -E2BIG when it is larger than LINETABLE_MAX or its size is negative; -ENOMEM; or the
 * errors above.
 */
int capture_remote_table(pid_t pid, const struct layout *layout, __u64 address, __u8 **ret, size_t *ret_len);

#endif
