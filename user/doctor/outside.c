// SPDX-License-Identifier: GPL-2.0-only
/*
 * outside.c - what can be had where BPF is refused: whether other processes' memory may be read here, and
 * whether the kernel says how often a thread was given a CPU.
 */
#include <stddef.h>

#include "base/lsm.h"
#include "doctor/checks.h"
#include "hosted/threads.h"
#include "proc/forbidden.h"

void check_outside(struct examination *x, struct checked *ret)
{
	const int scope = lsm_yama_scope(YAMA_SCOPE);
	const char *why = forbidden_everywhere();

	(void)x;
	if (why)
		finding_say(ret, GRADE_NOTE, "%s", why);
	else if (!thread_runs_are_counted("/proc/self/schedstat"))
		finding_say(ret, GRADE_NOTE,
			    "this kernel does not count in /proc/self/schedstat "
			    "(CONFIG_SCHED_INFO)");
	else if (scope > 1)
		finding_say(ret, GRADE_NOTE, "kernel.yama.ptrace_scope is %d: no process of others%s", scope,
			    scope > 2 ? "" : " without CAP_SYS_PTRACE");
	else if (scope > 0)
		finding_say(ret, GRADE_NOTE,
			    "kernel.yama.ptrace_scope is %d: not the processes of this user "
			    "that others have started",
			    scope);
	else
		finding_say(ret, GRADE_OK, "without BPF there are Python stacks of this user's programs");
}
