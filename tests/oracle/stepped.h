/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stepped.h - a program of CPython that is run until it stops itself (SIGSTOP), and then one machine
 * instruction at a time; and what the sampler is told of it. After hosted.h.
 */
#ifndef PYPERF_TESTS_STEPPED_H
#define PYPERF_TESTS_STEPPED_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/procfs.h"
#include "python/identify.h"

static inline __u64 stepped_register(pid_t pid, size_t offset)
{
	return (__u64)ptrace(PTRACE_PEEKUSER, pid, (void *)offset, NULL);
}

/* Lets it run as `request` says. Returns the signal that it stopped at, or -errno. */
static inline int stepped_resume(pid_t pid, enum __ptrace_request request, int signal)
{
	int status;

	if (ptrace(request, pid, NULL, (void *)(uintptr_t)signal) < 0 || waitpid(pid, &status, __WALL) < 0)
		return -errno;
	return WIFSTOPPED(status) ? WSTOPSIG(status) : -ESRCH;
}

/* Starts it and returns when it has stopped itself. */
static inline int stepped_start(char **command, pid_t *ret)
{
	int status, r = 0;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(command[0], command);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return -ENOENT;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_EXITKILL) < 0)
		return -errno;
	while (r >= 0 && r != SIGSTOP)
		r = stepped_resume(pid, PTRACE_CONT, r == SIGTRAP ? 0 : r); /* a SIGTRAP is an exec */
	*ret = pid;
	return r < 0 ? r : 0;
}

/* What the agent would have told the sampler of it. */
static inline int stepped_introduce(pid_t pid)
{
	static struct identity identity;
	__u64 ticks;
	int r = procfs_start_ticks(pid, &ticks);

	if (!r)
		r = identify(pid, ticks, &identity);
	if (!r && identity.verdict != VERDICT_PYTHON) {
		fprintf(stderr, "step: '%s': %s\n", identity.version, identity.reason);
		r = -ENOTSUP;
	}
	if (r)
		return r;
	hosted.layout = identity.layout;
	hosted.process = (struct process){
		.runtime = identity.runtime,
		.id = 1,
		.state = PROCESS_PYTHON,
	};
	hosted_task.pid = hosted_task.tgid = pid;
	hosted_task.thread_pointer = stepped_register(pid, offsetof(struct user_regs_struct, fs_base));
	stopped.pid = pid;
	return 0;
}

#endif
