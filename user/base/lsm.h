/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lsm.h - what the kernel's security modules forbid: lockdown (kernel_lockdown(7)) keeps the kernel's memory
 * from BPF programs, and Yama lets a user read no processes but those that the reader has started.
 */
#ifndef PYPERF_BASE_LSM_H
#define PYPERF_BASE_LSM_H

#include <stdbool.h>
#include <stddef.h>

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"
#define YAMA_SCOPE    "/proc/sys/kernel/yama/ptrace_scope"

/* Lockdown's level, such as "none". 0, or -errno where it cannot be read: *ret is as it was. */
int lsm_lockdown(char *ret, size_t size);

/* Whether it keeps its memory from BPF programs. Where securityfs is not mounted that is not known. */
bool lsm_is_confidential(void);

/* What Yama's file says: 0 to 3; -1: there is none, since this kernel has no Yama, or it says nothing. */
int lsm_yama_scope(const char *path);

#endif
