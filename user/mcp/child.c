// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/isolate.h"

#define READ_BYTES   (64 << 10)
#define EXEC_FAILED  127
#define PATIENCE_MS  5000 /* from SIGTERM to SIGKILL: a profile is still written in it */
#define LOOK_MS	     20
#define MEMORY_MAX   ((__u64)4 << 30) /* 40 times what a record of everything maps */

/* In the child. It has the signals and limits that a shell would give it. */
static void become(char **words, const int *ends, pid_t parent, size_t file_max)
{
	struct rlimit limit;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent || null < 0 ||
	    getrlimit(RLIMIT_FSIZE, &limit))
		_exit(EXEC_FAILED);
	/* The hard limit stays: a worker sets it as it needs it. */
	limit.rlim_cur = file_max < limit.rlim_max ? file_max : limit.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) || isolate_limit_memory(MEMORY_MAX) ||
	    sigprocmask(SIG_SETMASK, &none, NULL) || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(ends[0], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
		_exit(EXEC_FAILED);
	execv("/proc/self/exe", words);
	_exit(EXEC_FAILED);
}

int child_start(struct child *c, char **words, size_t file_max)
{
	int out[2], err[2], error;
	const pid_t parent = getpid();

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	if (pipe2(err, O_CLOEXEC)) {
		error = -errno;
		close(out[0]);
		close(out[1]);
		return error;
	}
	c->pid = fork();
	error = c->pid < 0 ? -errno : 0;
	if (!c->pid)
		become(words, (int[]){ out[1], err[1] }, parent, file_max);
	close(out[1]);
	close(err[1]);
	if (error) {
		c->pid = 0;
		close(out[0]);
		close(err[0]);
		return error;
	}
	setpgid(c->pid, c->pid); /* as the child does: whoever is first */
	c->fds[0] = out[0];
	c->fds[1] = err[0];
	return 0;
}

/* What is more than it may be. */
static void take(struct child *c, int which, const char *data, size_t size)
{
	struct buf *b = which ? &c->err : &c->out;
	const size_t most = which ? CHILD_ERR_MAX : CHILD_OUT_MAX;

	if (size <= most - b->size && !buf_add(b, data, size))
		return;
	if (which || c->is_too_much)
		return;
	c->is_too_much = true;
	child_signal(c, SIGKILL);
}

void child_read(struct child *c, int which)
{
	char data[READ_BYTES];
	ssize_t n = read(c->fds[which], data, sizeof(data));

	if (n > 0) {
		take(c, which, data, n);
		return;
	}
	if (n < 0 && errno == EINTR)
		return;
	close(c->fds[which]);
	c->fds[which] = -1;
}

static bool reap(struct child *c, int flags)
{
	if (c->pid && waitpid(c->pid, &c->status, flags) == c->pid)
		c->pid = 0;
	return !c->pid;
}

bool child_ended(struct child *c)
{
	return c->fds[0] < 0 && c->fds[1] < 0 && reap(c, WNOHANG);
}

int child_code(const struct child *c)
{
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
}

void child_signal(const struct child *c, int signal)
{
	if (c->pid)
		kill(-c->pid, signal);
}

void child_free(struct child *c)
{
	child_signal(c, SIGTERM);
	for (int waited = 0; waited < PATIENCE_MS && !reap(c, WNOHANG); waited += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	child_signal(c, SIGKILL);
	reap(c, 0);
	for (int i = 0; i < 2; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	buf_free(&c->out);
	buf_free(&c->err);
	*c = (struct child){ .fds = { -1, -1 } };
}
