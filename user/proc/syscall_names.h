/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscall_names.h - what the system calls of this machine are called.
 */
#ifndef PYPERF_PROC_SYSCALL_NAMES_H
#define PYPERF_PROC_SYSCALL_NAMES_H

#include <linux/types.h>

/* NULL for a number that has no name here. The names are those of the kernel's headers, at build time. */
const char *syscall_name(__u32 number);

#endif
