/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refuse.h - system calls that the kernel refuses from now on, to this process and its children: as a
 * distribution, a container's seccomp profile or an older kernel would. Cannot be undone.
 */
#ifndef PYPERF_TESTS_REFUSE_H
#define PYPERF_TESTS_REFUSE_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define REFUSE_ANY (-1)

/*
 * The call fails with errno `error`, when its first argument is `first` or that is REFUSE_ANY. 0 or -errno.
 */
static inline int refuse(int call, int first, int error)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { sizeof(program) / sizeof(program[0]), program };

	if (first == REFUSE_ANY)
		program[3] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) ? -errno : 0;
}

/* What Debian's kernels say to somebody with CAP_PERFMON alone. */
static inline int refuse_perf_events(void)
{
	return refuse(SYS_perf_event_open, REFUSE_ANY, EACCES);
}

/*
 * Linux before 6.7 does not know the flag that keeps a timer on its CPU; it is passed by a program that is
 * run.
 */
static inline int refuse_timers(void)
{
	return refuse(SYS_bpf, BPF_PROG_TEST_RUN, EINVAL);
}

/* A kernel without seccomp filters (CONFIG_SECCOMP_FILTER), or a container that allows none. */
static inline int refuse_filters(void)
{
	return refuse(SYS_seccomp, REFUSE_ANY, EINVAL) ?: refuse(SYS_prctl, PR_SET_SECCOMP, EINVAL);
}

/* A container that does not say how the clock is set. */
static inline int refuse_clock(void)
{
	return refuse(SYS_adjtimex, REFUSE_ANY, EPERM) ?: refuse(SYS_clock_adjtime, REFUSE_ANY, EPERM);
}

#endif
