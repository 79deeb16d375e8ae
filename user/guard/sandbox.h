/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sandbox.h - the list of system calls that a worker may make, and the one that makes workers (zygote.h).
 */
#ifndef PYPERF_GUARD_SANDBOX_H
#define PYPERF_GUARD_SANDBOX_H

enum sandbox {
	SANDBOX_WORKER,
	SANDBOX_ZYGOTE, /* what a worker may do, what isolate() does, and to start and end one */
};

/*
 * From now on every system call that is not on the list fails with EPERM, in this thread and whatever it
 * forks; a second list is one more limit, and takes nothing back. It needs no_new_privs. 0 or -errno: EINVAL
 * of a kernel without seccomp filters.
 */
int sandbox_enter(enum sandbox sandbox);

#endif
