// SPDX-License-Identifier: GPL-2.0-only
/*
 * outside.c - what can be had where BPF is refused: whether other processes' memory may be read here, and
 * whether the kernel says how often a thread was given a CPU.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/lsm.h"
#include "doctor/checks.h"
#include "hosted/threads.h"

static int read_own_memory(void)
{
	char from = 1, to;
	const struct iovec remote = { &from, 1 }, local = { &to, 1 };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 ? 0 : -errno;
}

void check_outside(struct examination *x, struct checked *ret)
{
	const int scope = lsm_yama_scope(YAMA_SCOPE), err = read_own_memory();

	(void)x;
	if (err)
		finding_say(ret, GRADE_NOTE, "process_vm_readv is refused: %s", strerror(-err));
	else if (!thread_runs_are_counted("/proc/self/schedstat"))
		finding_say(ret, GRADE_NOTE, "this kernel does not count in /proc/self/schedstat "
					     "(CONFIG_SCHED_INFO)");
	else if (scope > 1)
		finding_say(ret, GRADE_NOTE, "kernel.yama.ptrace_scope is %d: no process of others%s", scope,
			    scope > 2 ? "" : " without CAP_SYS_PTRACE");
	else if (scope > 0)
		finding_say(ret, GRADE_NOTE, "kernel.yama.ptrace_scope is %d: not the processes of this user "
					     "that others have started", scope);
	else
		finding_say(ret, GRADE_OK, "without BPF there are Python stacks of this user's programs");
}
