// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEPT_PART 2 /* one of so many descriptors that there may be: the others are for what needs one */

static rlim_t kept_end; /* descriptors below it stay open */

void kept_files_begin(void)
{
	struct rlimit limit;

	kept_end = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur / KEPT_PART;
}

int kept_file_read(struct kept_file *f, const char *path, char *text, size_t size)
{
	const int fd = f->fd ?: open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = pread(fd, text, size - 1, 0);
	err = n < 0 ? -errno : n ? 0 : -ESRCH;
	text[n > 0 ? n : 0] = '\0';
	if (!err && (f->fd || (fd && (rlim_t)fd < kept_end)))
		f->fd = fd;
	else if (!f->fd)
		close(fd);
	return err;
}

void kept_file_close(struct kept_file *f)
{
	if (f->fd)
		close(f->fd);
	f->fd = 0;
}
