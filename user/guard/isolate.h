/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * isolate.h - how the processes beside the profiler begin: they let go of what they inherited.
 */
#ifndef PYPERF_GUARD_ISOLATE_H
#define PYPERF_GUARD_ISOLATE_H

#include <sys/types.h>

#include "base/privileges.h"

/* Their descriptors: 0 to 2 lead nowhere. The zygote has the first two of these, the parser the first. */
#define ISOLATED_SOCKET_FD 3
#define ISOLATED_TABLE_FD  4
#define ISOLATED_PARSER_FD 5 /* the worker's socket to its parser */
#define ISOLATED_MAX	   3

/*
 * What a worker may use: to read the memory and files of all users. CAP_CHECKPOINT_RESTORE, which only root
 * is likely to have, opens mapped files that were deleted (proc/safe_open.c): those of an interpreter that
 * was upgraded under a running program.
 */
#define WORKER_PRIVILEGES                                                                                    \
	(PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_CHECKPOINT_RESTORE))

/* The things that a process takes with it into its isolation. */
struct isolation {
	const char *name;
	pid_t parent;
	__u64 privileges;      /* these at most */
	int fds[ISOLATED_MAX]; /* they get the numbers above, in this order */
	int fd_count;
	__u64 file_bytes; /* to no file may more be written; a file in memory is memory, too */
};

/*
 * Of the open descriptors the process keeps only those. It ignores what Ctrl-C and a service manager send to
 * a whole group, leaves no core file, writes no large one, and is killed when its parent ends. Then it gives
 * up all other capabilities, for good; but a reader that was not given CAP_SYS_PTRACE gives up none, since it
 * would see nobody. 0; -ECHILD if the parent has ended already; another -errno. After an error the process
 * must end.
 */
int isolate(const struct isolation *i);

/*
 * Limits its memory to so many bytes of address space beyond what it has now, or to less if it is limited to
 * that already. Nothing is limited under AddressSanitizer, of which the shadow memory alone is terabytes. 0
 * or -errno.
 */
int isolate_limit_memory(__u64 more);

#endif
