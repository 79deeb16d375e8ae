// SPDX-License-Identifier: GPL-2.0-only
#include "run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/privileges.h"

/*
 * Where kernel.yama.ptrace_scope is 1 only ancestors may read a process, and those whom it names with their
 * descendants. An exec keeps that, and a child does not inherit it. Without Yama it is refused, and nothing
 * is lost.
 */
static void allow_descendants_of(pid_t pid)
{
	prctl(PR_SET_PTRACER, (unsigned long)pid, 0, 0, 0);
}

static void run_child(int go, int failure, char **argv)
{
	sigset_t none;
	char byte;
	int err;

	/* The event loop ignores SIGPIPE, and an exec would hand that on: "COMMAND | head" would not end. */
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* End of file means that the parent is gone or gave up; a byte means go. */
	if (read(go, &byte, 1) != 1)
		_exit(1);
	/* Things that the profiler was given are not for the program. */
	err = -privileges_clear_ambient();
	if (!err) {
		execvp(argv[0], argv);
		err = errno;
	}
	if (write(failure, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(err == ENOENT ? 127 : 126);
}

int command_start(struct command *c, char **argv, bool from_outside)
{
	const pid_t self = getpid(); /* by getppid() it could be init, whose descendants all are */
	int go[2], failure[2], err;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		err = -errno;
		close(go[0]);
		close(go[1]);
		return err;
	}
	pid = fork();
	err = pid < 0 ? -errno : 0; /* close() may have another */
	if (!pid) {
		close(go[1]);
		if (from_outside)
			allow_descendants_of(self);
		run_child(go[0], failure[1], argv);
	}
	close(go[0]);
	close(failure[1]);
	if (err) {
		close(go[1]);
		close(failure[0]);
		return err;
	}
	*c = (struct command){ .pid = pid, .go = go[1], .failure = failure[0] };
	return 0;
}

int command_go(struct command *c)
{
	int err = 0;
	ssize_t n;

	if (write(c->go, "", 1) != 1)
		return -errno;
	close(TAKE_FD(c->go));
	do
		n = read(c->failure, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(TAKE_FD(c->failure));
	if (n != sizeof(err))
		return 0;
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
	return -err;
}

bool command_runs(const struct command *c)
{
	return c->pid > 0 && c->go <= 0;
}

bool command_ended(struct command *c, int *ret_code)
{
	struct rusage u;
	int status;

	if (c->pid <= 0 || wait4(c->pid, &status, WNOHANG, &u) != c->pid)
		return false;
	c->pid = 0;
	c->cpu_seconds =
		u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	*ret_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

void command_signal(struct command *c, int signal)
{
	if (c->pid > 0)
		kill(c->pid, signal);
}

void command_release(struct command *c)
{
	bool waiting = c->go > 0;

	if (c->go > 0)
		close(c->go);
	if (c->failure > 0)
		close(c->failure);
	if (waiting && c->pid > 0)
		waitpid(c->pid, NULL, 0);
	*c = (struct command){ 0 };
}
