// SPDX-License-Identifier: GPL-2.0-only
#include "guard/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitized.h"

#define OUT_OF_THE_WAY 16 /* above all that is to be replaced */

#ifdef SANITIZED
#define SILENCED     2 /* what it reports of a worker is to be seen (make check-san) */
#define LIMIT_MEMORY 0
#else
#define SILENCED     3
#define LIMIT_MEMORY 1
#endif

static void reset_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR2 };
	static const int restored[] = { SIGCHLD, SIGALRM, SIGUSR1 };
	sigset_t none;

	/*
	 * Ctrl-C on a terminal reaches the whole process group, and pidof names all of them. The parent
	 * decides what it means, and when the parent ends, so does the child.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(restored); i++)
		signal(restored[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors 0 to 2 lead nowhere, those that are kept come next. Nothing else stays open. */
static int move_descriptors(const int *fds, int count)
{
	int high[ISOLATED_MAX], null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0) /* a root directory without /dev */
		null = memfd_create("pyperf-null", MFD_CLOEXEC);
	if (null < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
		if (high[i] < 0)
			return -errno;
	}
	for (int fd = 0; fd < SILENCED; fd++) {
		if (dup2(null, fd) < 0)
			return -errno;
	}
	for (int i = 0; i < count; i++) {
		if (dup2(high[i], ISOLATED_SOCKET_FD + i) < 0)
			return -errno;
	}
	return syscall(SYS_close_range, ISOLATED_SOCKET_FD + count, ~0U, 0) ? -errno : 0;
}

/* A core file would have the memory of other processes in it. */
static int limit_files(__u64 bytes)
{
	static const struct rlimit no_core = { 0, 0 };
	const struct rlimit files = { bytes, bytes };

	if (setrlimit(RLIMIT_CORE, &no_core))
		return -errno;
	return LIMIT_MEMORY && setrlimit(RLIMIT_FSIZE, &files) ? -errno : 0;
}

/*
 * Whoever has not CAP_SYS_PTRACE may look at processes of its own user only, and of these at such that have
 * no capability which it has not (cap_ptrace_access_check() of the kernel): for memory its permitted ones
 * count, for files in /proc the effective ones. So root of a container would see nobody if it gave any up.
 * The lists of sandbox.h leave them no use but to read.
 */
static int keep_privileges(__u64 most)
{
	__u64 has;
	int err = privileges_get(&has);

	if (err)
		return err;
	if (most & PRIVILEGE(CAP_SYS_PTRACE) && !(has & PRIVILEGE(CAP_SYS_PTRACE)))
		most = has;
	return privileges_keep(most);
}

int isolate(const struct isolation *i)
{
	int err;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	/* The parent may have died before prctl() asked to be told of its end. */
	if (getppid() != i->parent)
		return -ECHILD;
	prctl(PR_SET_NAME, i->name);
	reset_signals();
	err = limit_files(i->file_bytes) ?: move_descriptors(i->fds, i->fd_count);
	return err ?: keep_privileges(i->privileges);
}

int isolate_limit_memory(__u64 more)
{
	_cleanup_fclose_ FILE *file = NULL;
	unsigned long long pages;
	struct rlimit limit;

	if (!LIMIT_MEMORY)
		return 0;
	file = fopen("/proc/self/statm", "re");
	if (!file)
		return -errno;
	if (fscanf(file, "%llu", &pages) != 1)
		return -EIO;
	more += pages * sysconf(_SC_PAGESIZE);
	if (getrlimit(RLIMIT_AS, &limit))
		return -errno;
	if (limit.rlim_max < more) /* RLIM_INFINITY is the largest of all */
		more = limit.rlim_max;
	limit.rlim_cur = limit.rlim_max = more;
	return setrlimit(RLIMIT_AS, &limit) ? -errno : 0;
}
