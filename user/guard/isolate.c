// SPDX-License-Identifier: GPL-2.0-only
#include "guard/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#define OUT_OF_THE_WAY 16 /* above all that is to be replaced */

#ifdef __SANITIZE_ADDRESS__ /* what it reports of a worker is to be seen (make check-san) */
#define SILENCED 2
#else
#define SILENCED 3
#endif

static void reset_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	static const int restored[] = { SIGCHLD, SIGALRM, SIGUSR1, SIGUSR2 };
	sigset_t none;

	/*
	 * Ctrl-C on a terminal reaches the whole process group. The parent decides what it means, and when
	 * the parent ends, so does the child.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(restored); i++)
		signal(restored[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors 0 to 2 lead nowhere, 3 is the socket, 4 is the table. Nothing else stays open. */
static int move_descriptors(int socket, int table_fd)
{
	int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	int high_table = fcntl(table_fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0) /* a root directory without /dev */
		null = memfd_create("pyperf-null", MFD_CLOEXEC);
	if (high_socket < 0 || high_table < 0 || null < 0)
		return -errno;
	for (int fd = 0; fd < SILENCED; fd++) {
		if (dup2(null, fd) < 0)
			return -errno;
	}
	if (dup2(high_socket, ISOLATED_SOCKET_FD) < 0 || dup2(high_table, ISOLATED_TABLE_FD) < 0)
		return -errno;
	return syscall(SYS_close_range, ISOLATED_TABLE_FD + 1, ~0U, 0) ? -errno : 0;
}

int isolate(int socket, int table_fd, pid_t parent, const char *name)
{
	/* A core file would have the memory of other processes in it. */
	static const struct rlimit no_core = { 0, 0 };
	int err;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	/* The parent may have died before prctl() asked to be told of its end. */
	if (getppid() != parent)
		return -ECHILD;
	prctl(PR_SET_NAME, name);
	if (setrlimit(RLIMIT_CORE, &no_core))
		return -errno;
	reset_signals();
	err = move_descriptors(socket, table_fd);
	return err ?: privileges_keep(WORKER_PRIVILEGES);
}
