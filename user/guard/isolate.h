/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * isolate.h - how a worker and the process that makes workers begin: they let go of what they inherited.
 */
#ifndef PYPERF_GUARD_ISOLATE_H
#define PYPERF_GUARD_ISOLATE_H

#include <sys/types.h>

#include "guard/privileges.h"

/* A worker's descriptors: 0 to 2 lead nowhere. */
#define ISOLATED_SOCKET_FD 3
#define ISOLATED_TABLE_FD  4

/*
 * What a worker may use: to read the memory and files of all users. CAP_CHECKPOINT_RESTORE, which only root
 * is likely to have, opens mapped files that were deleted (proc/safe_open.c): those of an interpreter that
 * was upgraded under a running program.
 */
#define WORKER_PRIVILEGES                                                                                    \
	(PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_CHECKPOINT_RESTORE))

/*
 * Of the open descriptors the process keeps these two, under the numbers above. It ignores what Ctrl-C and a
 * service manager send to a whole group, leaves no core file, and is killed when its parent ends. Then it
 * keeps only WORKER_PRIVILEGES, for good. 0; -ECHILD if the parent has ended already; another -errno. After
 * an error the process must end.
 */
int isolate(int socket, int table_fd, pid_t parent, const char *name);

#endif
