// SPDX-License-Identifier: GPL-2.0-only
#include "run/targets_end.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LOOKS_WITH_CHILDREN 2

/* Of a thread that is no process Linux 6.18 says ENOENT, and before EINVAL. */
static bool is_no_process(int error)
{
	return error == ESRCH || error == ENOENT || error == EINVAL;
}

int targets_end_open(struct targets_end *e, const pid_t *pids, size_t count)
{
	int err = 0;

	*e = (struct targets_end){ .fds = calloc(count + 1, sizeof(*e->fds)) };
	if (!e->fds)
		return -ENOMEM;
	for (; !err && e->count < count; e->count++) {
		int fd = syscall(SYS_pidfd_open, pids[e->count], 0);

		e->fds[e->count] = fd < 0 ? -1 : fd;
		err = fd < 0 && !is_no_process(errno) ? -errno : 0;
	}
	if (err)
		targets_end_close(e);
	return err;
}

void targets_end_close(struct targets_end *e)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->fds[i] >= 0)
			close(e->fds[i]);
	free(e->fds);
	*e = (struct targets_end){ 0 };
}

static bool lives(int *fd)
{
	struct pollfd wanted = { .fd = *fd, .events = POLLIN };

	if (*fd < 0)
		return false;
	if (poll(&wanted, 1, 0) <= 0)
		return true;
	close(TAKE_FD(*fd));
	return false;
}

bool targets_end_look(struct targets_end *e, bool with_children, size_t children)
{
	size_t alive = with_children ? children : 0;

	for (size_t i = 0; i < e->count; i++)
		alive += lives(&e->fds[i]);
	e->looks = alive ? 0 : e->looks + 1;
	return e->count && e->looks >= (with_children ? LOOKS_WITH_CHILDREN : 1);
}
