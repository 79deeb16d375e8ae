// SPDX-License-Identifier: GPL-2.0-only
#include "base/standard_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_fds_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest number that is free, which is this one. There is a root without a /dev, too. */
		if (open("/", O_PATH | O_CLOEXEC) < 0)
			return -errno;
	}
	return 0;
}

bool standard_fds_can_write(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY;
}
