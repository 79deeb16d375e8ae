// SPDX-License-Identifier: GPL-2.0-only
#include "run/named.h"

#include <errno.h>

#include "base/lacking.h"
#include "base/log.h"
#include "base/privileges.h"
#include "proc/forbidden.h"
#include "proc/procfs.h"
#include "proc/visible.h"

/* 0 or -errno, which has been said. */
static int check(pid_t pid)
{
	char advice[LACKING_SIZE];
	pid_t process;

	if (visible_is_mounted() && visible_hides(pid)) {
		log_error("process %d is there, but /proc hides it (hidepid): %s" ASK_DOCTOR, pid,
			  lacking_advice(PRIVILEGE(CAP_SYS_PTRACE), advice));
		return -EPERM;
	}
	if (procfs_read_process(pid, &process) || process == pid)
		return 0;
	log_error("%d is a thread of process %d: name the process, --pid %d", pid, process, process);
	return -EINVAL;
}

int named_check(const pid_t *pids, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = check(pids[i]);
	return err;
}

int named_check_readable(const pid_t *pids, size_t count)
{
	char why[FORBIDDEN_SIZE];

	for (size_t i = 0; i < count; i++)
		if (!forbidden_is(pids[i]))
			return 0;
	if (!count)
		return 0;
	log_error("nothing can be sampled: process %d may not be read: %s" ASK_DOCTOR, pids[0],
		  forbidden_why(pids[0], why));
	return -EACCES;
}

int named_check_memory(void)
{
	const char *why = forbidden_everywhere();

	if (!why)
		return 0;
	log_error("%s" ASK_DOCTOR, why);
	return -EACCES;
}

int named_check_proc(void)
{
	if (visible_is_mounted())
		return 0;
	log_error("/proc is not mounted, and without it no process can be looked at: mount -t proc proc "
		  "/proc");
	return -ENOENT;
}
