// SPDX-License-Identifier: GPL-2.0-only
#include "proc/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/safe_open.h"

#define ID_MIN 2
#define ID_MAX 64

/* Whether both are in one mount, which nobody can be who has put a folder of his own over the other's. */
static bool in_one_mount(int a, int b)
{
	struct statx x, y;

	return !statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) &&
	       !statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &y) && x.stx_mask & y.stx_mask & STATX_MNT_ID &&
	       x.stx_mnt_id == y.stx_mnt_id;
}

/* As the thread sees it. Its root may be one that its user has made, with a forged file in it. */
static int open_theirs(pid_t tid, int file, const char *path)
{
	unsigned int whose = SAFE_OPEN_PUBLIC;
	_cleanup_close_ int fd = -1;
	struct stat mapped, stat;

	if (fstat(file, &mapped))
		return -errno;
	if (!(mapped.st_mode & S_IROTH))
		whose |= SAFE_OPEN_OWN;
	fd = safe_open_named(tid, path, whose, &stat);
	if (fd < 0)
		return fd;
	return stat.st_uid == mapped.st_uid && in_one_mount(fd, file) ? TAKE_FD(fd) : -EACCES;
}

int debug_file_open(pid_t tid, int file, const __u8 *build_id, size_t size)
{
	char path[64 + 2 * ID_MAX], *at = path;
	struct stat stat;
	int fd;

	if (size < ID_MIN || size > ID_MAX)
		return -ENOENT;
	at += sprintf(at, "/usr/lib/debug/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < size; i++)
		at += sprintf(at, "%02x", build_id[i]);
	strcpy(at, ".debug");
	fd = open_theirs(tid, file, path);
	if (fd < 0)
		fd = safe_open_named(0, path, SAFE_OPEN_PUBLIC, &stat);
	return fd < 0 ? -ENOENT : fd;
}
