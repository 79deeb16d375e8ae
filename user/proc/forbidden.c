// SPDX-License-Identifier: GPL-2.0-only
#include "proc/forbidden.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/lsm.h"
#include "base/privileges.h"
#include "proc/procfs.h"

/* Nothing is mapped at 0, and the kernel looks at the right first (mm_access() in process_vm_rw_core()). */
bool forbidden_is(pid_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { NULL, 1 };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 && errno == EPERM;
}

/* Docker's rules allow it from Linux 4.8 on, before to who has CAP_SYS_PTRACE. There are stricter ones. */
const char *forbidden_everywhere(void)
{
	char from = 1, to;
	const struct iovec remote = { &from, 1 }, local = { &to, 1 };

	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1)
		return NULL;
	if (errno == ENOSYS)
		return "there is no process_vm_readv here (CONFIG_CROSS_MEMORY_ATTACH, or seccomp)";
	return "process_vm_readv is refused even for one's own memory, which seccomp does (docker run "
	       "--cap-add SYS_PTRACE allows it, or another --security-opt seccomp=)";
}

/* Of what is in /proc/PID root is the owner when the process is not dumpable (fs/proc/base.c). */
static const char *reason(pid_t pid, int scope)
{
	struct stat st;
	char path[32];
	uid_t user;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (procfs_read_user(pid, &user) || stat(path, &st))
		return "it may not be read";
	if (user != geteuid() && geteuid())
		return "it is another user's";
	if (user != st.st_uid)
		return "it lets nobody read it (setuid, a program file that may not be read, or "
		       "PR_SET_DUMPABLE)";
	return scope > 0 ? "Yama forbids to read it" : "it may not be read";
}

const char *forbidden_ways(char text[FORBIDDEN_SIZE])
{
	char advice[LACKING_SIZE], yama[128] = "";
	const int scope = lsm_yama_scope(YAMA_SCOPE);

	if (scope == 1)
		snprintf(yama, sizeof(yama),
			 "; for this user's own: sudo sysctl kernel.yama.ptrace_scope=0, or -- COMMAND");
	else if (scope > 1)
		snprintf(yama, sizeof(yama), " (kernel.yama.ptrace_scope is %d)", scope);
	snprintf(text, FORBIDDEN_SIZE, "%s%s", lacking_advice(PRIVILEGE(CAP_SYS_PTRACE), advice), yama);
	return text;
}

const char *forbidden_why(pid_t pid, char text[FORBIDDEN_SIZE])
{
	char ways[FORBIDDEN_SIZE];

	snprintf(text, FORBIDDEN_SIZE, "%s; %s", reason(pid, lsm_yama_scope(YAMA_SCOPE)),
		 forbidden_ways(ways));
	return text;
}
