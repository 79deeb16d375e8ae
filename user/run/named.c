// SPDX-License-Identifier: GPL-2.0-only
#include "run/named.h"

#include <errno.h>

#include "base/log.h"
#include "proc/procfs.h"

int named_check(const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pid_t process;

		if (procfs_read_process(pids[i], &process) || process == pids[i])
			continue;
		log_error("%d is a thread of process %d: name the process, --pid %d", pids[i], process,
			  process);
		return -EINVAL;
	}
	return 0;
}
