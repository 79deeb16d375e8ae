/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * yama.h - whether this kernel lets a user read no processes but those that the reader has started.
 */
#ifndef PYPERF_PROC_YAMA_H
#define PYPERF_PROC_YAMA_H

#define YAMA_SCOPE "/proc/sys/kernel/yama/ptrace_scope"

/* What that file says: 0 to 3; -1: there is none, since this kernel has no Yama, or it says nothing. */
int yama_scope(const char *path);

#endif
