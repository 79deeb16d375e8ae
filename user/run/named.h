/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * named.h - the processes that --pid names, before anything is done with them.
 */
#ifndef PYPERF_RUN_NAMED_H
#define PYPERF_RUN_NAMED_H

#include <stddef.h>
#include <sys/types.h>

/*
 * 0, or -EINVAL: one of them is a thread, which has been said, with the process that it belongs to. /proc
 * shows a thread as if it were one. A number that nobody has is not for this to complain of.
 */
int named_check(const pid_t *pids, size_t count);

#endif
