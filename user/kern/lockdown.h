/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lockdown.h - whether the kernel is locked down (kernel_lockdown(7)).
 */
#ifndef PYPERF_KERN_LOCKDOWN_H
#define PYPERF_KERN_LOCKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* The level that is in force, such as "none". 0, or -errno where it cannot be read: *ret is as it was. */
int lockdown_read(char *ret, size_t size);

/* Whether it keeps its memory from BPF programs. Where securityfs is not mounted that is not known. */
bool lockdown_is_confidential(void);

#endif
