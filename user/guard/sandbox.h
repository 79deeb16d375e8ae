/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sandbox.h - the lists of system calls that a worker may make, its parser, the zygote, which makes both, and
 * the profiler itself.
 */
#ifndef PYPERF_GUARD_SANDBOX_H
#define PYPERF_GUARD_SANDBOX_H

enum sandbox {
	SANDBOX_WORKER,
	SANDBOX_PARSER, /* to read what is open, and to answer */
	SANDBOX_SAMPLER, /* to look at processes, and to say so (user/hosted/child.h) */
	SANDBOX_ZYGOTE, /* what these may do, what isolate() does, and to start and end them */
	SANDBOX_PROFILER, /* from the first sample on (profiler_rules.c) */
};

/*
 * From now on every system call that is not on the list fails with EPERM, in this thread and whatever it
 * forks; the profiler's list is in all of its threads. A second list is one more limit, and takes nothing
 * back. It needs no_new_privs. 0 or -errno: EINVAL of a kernel without seccomp filters.
 */
int sandbox_enter(enum sandbox sandbox);

#endif
