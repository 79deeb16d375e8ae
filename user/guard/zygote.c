// SPDX-License-Identifier: GPL-2.0-only
#include "guard/zygote.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guard/message.h"

#define END_TRIES 500 /* of a millisecond */

int zygote_start(struct zygote *z, int table_fd, const char *pod_logs)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	pid_t parent = getpid(), child;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		zygote_child_run(theirs, table_fd, parent, pod_logs);
	*z = (struct zygote){ .pid = child, .control = TAKE_FD(ours) };
	return 0;
}

int zygote_ask(const struct zygote *z, __u32 serial, int socket)
{
	const struct zygote_request request = { serial };

	return message_send(z->control, &request, sizeof(request), socket, MSG_DONTWAIT);
}

int zygote_next(const struct zygote *z, struct zygote_event *ret, int *ret_pidfd)
{
	return message_receive(z->control, ret, sizeof(*ret), ret_pidfd, MSG_DONTWAIT);
}

int zygote_end(struct zygote *z)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	pid_t done = 0;
	int status;

	if (!z->pid)
		return 0;
	close(TAKE_FD(z->control));
	for (int i = 0; !done && i < END_TRIES; i++) {
		done = waitpid(z->pid, &status, WNOHANG);
		if (!done)
			nanosleep(&pause, NULL);
	}
	if (!done) { /* its workers are killed with it */
		kill(z->pid, SIGKILL);
		done = waitpid(z->pid, &status, 0);
	}
	z->pid = 0;
	if (done < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EPIPE;
}
