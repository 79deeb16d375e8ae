// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c - see file.h. The folder is opened once and everything happens in it by descriptor, so a folder that
 * is renamed meanwhile changes nothing. It trusts the folder's owner, nobody else: a name planted for the
 * temporary file is neither followed nor reused.
 */
#include "export/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define TEMPORARY_SIZE 64
#define ATTEMPTS       8

static int wait_until_writable(int fd)
{
	struct pollfd waiting = { .fd = fd, .events = POLLOUT };

	if (poll(&waiting, 1, -1) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

int fd_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t n;
	int err;

	while (size) {
		n = write(fd, at, size);
		if (n > 0) {
			at += n;
			size -= n;
		} else if (n == 0) {
			return -EIO;
		} else if (errno == EAGAIN) {
			err = wait_until_writable(fd);
			if (err)
				return err;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* The folder of path, and the last part of it. The caller frees the folder. */
static int split_path(const char *path, char **ret_folder, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *folder;

	if (!*path)
		return -ENOENT;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	if (!slash)
		folder = strdup(".");
	else
		folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!folder)
		return -ENOMEM;
	*ret_folder = folder;
	*ret_name = name;
	return 0;
}

/* Close reports what some file systems (NFS, FUSE) find out late. The descriptor is gone in any case. */
static int close_checked(int *fd)
{
	return close(TAKE_FD(*fd)) < 0 && errno != EINTR ? -errno : 0;
}

static int write_through(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;
	int err;

	/* O_NONBLOCK, or a FIFO without a reader would stop the agent for good. */
	fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fd_write_all(fd, data, size);
	if (err)
		return err;
	if (fsync(fd) < 0 && errno != EINVAL &&
	    errno != EROFS) /* these two: not a thing that can be synced */
		return -errno;
	return close_checked(&fd);
}

/* 64 random bits: that a name is taken by chance is not to be expected, let alone twice. */
static int make_temporary(char name[TEMPORARY_SIZE])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, TEMPORARY_SIZE, ".pyperf-bpf.%016llx.tmp", (unsigned long long)random);
	return 0;
}

static int create_temporary(int folder, char name[TEMPORARY_SIZE], int *ret_fd)
{
	int fd;

	for (int i = 0; i < ATTEMPTS; i++) {
		int err = make_temporary(name);

		if (err)
			return err;
		fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int fill(int fd, const void *data, size_t size)
{
	int err = fd_write_all(fd, data, size);

	return err ?: fsync(fd) < 0 ? -errno : 0;
}

static int fill_and_rename(int folder, int *fd, const char *temporary, const char *name, const void *data,
			   size_t size)
{
	int err = fill(*fd, data, size);

	if (err)
		return err;
	err = close_checked(fd);
	if (err)
		return err;
	return renameat(folder, temporary, folder, name) < 0 ? -errno : 0;
}

static int write_named(int folder, const char *name, const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;
	char temporary[TEMPORARY_SIZE];
	int err = create_temporary(folder, temporary, &fd);

	if (err)
		return err;
	err = fill_and_rename(folder, &fd, temporary, name, data, size);
	if (err)
		unlinkat(folder, temporary, 0);
	return err;
}

/* Gives a file without a name this one, in place of the one that has it. */
static int name_over(int folder, const char *unnamed, const char *name)
{
	char temporary[TEMPORARY_SIZE];
	int err;

	err = make_temporary(temporary);
	if (err)
		return err;
	if (linkat(AT_FDCWD, unnamed, folder, temporary, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	err = renameat(folder, temporary, folder, name) < 0 ? -errno : 0;
	if (err)
		unlinkat(folder, temporary, 0);
	return err;
}

/*
 * The file gets its name when it is whole, so that nothing is left of it when this process is killed before.
 * -EOPNOTSUPP: not on every file system, and not without /proc.
 */
static int write_unnamed(int folder, const char *name, const void *data, size_t size)
{
	_cleanup_close_ int fd = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);
	char unnamed[64];
	int err;

	if (fd < 0)
		return errno == EISDIR || errno == EINVAL || errno == ENOENT ? -EOPNOTSUPP : -errno;
	err = fill(fd, data, size);
	if (err)
		return err;
	snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", fd);
	err = linkat(AT_FDCWD, unnamed, folder, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
	if (err == -EEXIST)
		err = name_over(folder, unnamed, name);
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	return close_checked(&fd);
}

/* Removed, while it is somebody's working folder. */
static bool is_removed(const struct stat *folder)
{
	return !folder->st_nlink;
}

static int replace(const char *folder_path, const char *name, const void *data, size_t size)
{
	_cleanup_close_ int folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int err;

	if (folder < 0 || fstat(folder, &st) < 0)
		return -errno;
	if (is_removed(&st))
		return -ENOENT;
	err = write_unnamed(folder, name, data, size);
	if (err == -EOPNOTSUPP)
		err = write_named(folder, name, data, size);
	if (err)
		return err;
	/* The file is in place; some file systems cannot sync a folder and say EINVAL. */
	if (fsync(folder) < 0 && errno != EINVAL)
		return -errno;
	return 0;
}

static bool is_replaced(const struct stat *st)
{
	return S_ISREG(st->st_mode);
}

int file_write_atomic(const char *path, const void *data, size_t size)
{
	_cleanup_free_ char *folder = NULL;
	const char *name;
	struct stat st;
	int err;

	err = split_path(path, &folder, &name);
	if (err)
		return err;
	if (!lstat(path, &st) && !is_replaced(&st))
		return write_through(path, data, size);
	return replace(folder, name, data, size);
}

int file_check_writable(const char *path)
{
	_cleanup_free_ char *folder = NULL;
	const char *name;
	struct stat st;
	int err;

	err = split_path(path, &folder, &name);
	if (err)
		return err;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (lstat(path, &st) < 0) {
		if (errno != ENOENT)
			return -errno;
	} else if (!is_replaced(&st)) {
		if (stat(path, &st) < 0)
			return -errno;
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
	}
	if (stat(folder, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (is_removed(&st))
		return -ENOENT;
	return faccessat(AT_FDCWD, folder, R_OK | W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

const char *file_why(const char *path, int err)
{
	_cleanup_free_ char *folder = NULL;
	const char *name;
	struct stat st;

	if (err == -ENOENT && !split_path(path, &folder, &name) && !stat(folder, &st) && is_removed(&st))
		return "the working folder was removed";
	return strerror(-err);
}
