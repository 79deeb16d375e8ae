/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * types.h - the integer types __u8 to __u64 and __s32, on both sides.
 */
#ifndef PYPERF_BPF_ABI_TYPES_H
#define PYPERF_BPF_ABI_TYPES_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#endif
