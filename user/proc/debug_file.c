// SPDX-License-Identifier: GPL-2.0-only
#include "proc/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/safe_open.h"

#define ID_MIN 2
#define ID_MAX 64

static int open_in(const char *directory, const char *path)
{
	_cleanup_close_ int root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct stat stat;

	if (root < 0)
		return -errno;
	fd = safe_open_below(root, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
		return -ENOENT;
	return safe_open_reopen(fd);
}

int debug_file_open(pid_t tid, const __u8 *build_id, size_t size)
{
	char root[64], path[64 + 2 * ID_MAX], *at = path;
	int fd;

	if (size < ID_MIN || size > ID_MAX)
		return -ENOENT;
	at += sprintf(at, "/usr/lib/debug/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < size; i++)
		at += sprintf(at, "%02x", build_id[i]);
	strcpy(at, ".debug");
	snprintf(root, sizeof(root), "/proc/%d/root", tid);
	fd = open_in(root, path);
	if (fd < 0)
		fd = open_in("/", path);
	return fd < 0 ? -ENOENT : fd;
}
