/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * named.h - the processes that --pid names, before anything is done with them.
 */
#ifndef PYPERF_RUN_NAMED_H
#define PYPERF_RUN_NAMED_H

#include <stddef.h>
#include <sys/types.h>

/*
 * 0; -EINVAL: one of them is a thread, which has been said, with the process that it belongs to. /proc shows
 * a thread as if it were one. -EPERM: /proc hides it, which has been said. A number that nobody has is not
 * for this to complain of.
 */
int named_check(const pid_t *pids, size_t count);

/* For looks from outside: 0, or -EACCES where not one of them may be read, which has been said. */
int named_check_readable(const pid_t *pids, size_t count);

/* 0, or -EACCES where nobody's memory can be read (proc/forbidden.h), which has been said. */
int named_check_memory(void);

/* Whether there is a /proc, without which nothing can be looked at. Says so. 0 or -ENOENT. */
int named_check_proc(void);

#endif
