// SPDX-License-Identifier: GPL-2.0-only
/*
 * safe_open.c - /proc/PID/map_files first: such a link is the mapped file itself, whatever happened to its
 * name. It needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN; the fallback resolves the name inside the process's
 * root and then compares device and inode with the mapping.
 */
#include "proc/safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "proc/may_read.h"

#define LINKS_MAX 8 /* followed on the way to a file */

/* O_PATH opens nothing: no driver, no FIFO, no lease can make it wait. */
static int open_map_file(pid_t tid, const struct procfs_map *map)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", tid, map->start, map->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens the path name by name and follows no link. The kernel has resolved this path already, so a link in it
 * now is a trick. openat2() would do it, but a service of systemd with DynamicUser has RestrictSUIDSGID,
 * which refuses it.
 */
static int open_below(int root, const char *path)
{
	_cleanup_close_ int at = -1;
	char name[NAME_MAX + 1];

	for (int from = root; *(path += strspn(path, "/")); from = at) {
		size_t length = strcspn(path, "/");
		int fd;

		if (length > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, length);
		name[length] = '\0';
		path += length;
		if (!strcmp(name, ".."))
			return -ENOENT;
		fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (at >= 0)
			close(at);
		at = fd;
	}
	return at < 0 ? -ENOENT : TAKE_FD(at);
}

static int open_in_root(pid_t tid, const struct procfs_map *map)
{
	_cleanup_close_ int root = -1;
	char path[64];

	if (map->path[0] != '/')
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/root", tid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : open_below(root, map->path);
}

/*
 * Two file systems have other devices in maps than in stat(), with the same inode number: overlayfs, on which
 * containers live, since kernels before file_user_inode() show the file below (fs/proc/task_mmu.c), and
 * btrfs, whose subvolumes have devices of their own.
 */
static bool has_other_device(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC);
}

/* Inode numbers alone can be met on purpose. So there it must also be a file that the process may read. */
static bool is_mapped(pid_t tid, int fd, const struct procfs_map *map, const struct stat *stat)
{
	if (stat->st_ino != map->inode)
		return false;
	return stat->st_dev == map->device ||
	       (has_other_device(fd) && (stat->st_mode & S_IROTH || may_read_owned(tid, stat)));
}

/* Where `path` leads when its part up to `end` is a link to `target`, without "." and "..". */
static int follow(char path[PATH_MAX], size_t end, const char *target)
{
	char joined[3 * PATH_MAX];
	size_t used = 0, directory = end;

	while (directory && path[directory - 1] != '/')
		directory--;
	snprintf(joined, sizeof(joined), "%.*s/%s%s", *target == '/' ? 0 : (int)directory, path, target,
		 path + end);
	for (const char *s = joined; *(s += strspn(s, "/"));) {
		size_t length = strcspn(s, "/");

		if (length == 2 && !memcmp(s, "..", 2)) {
			while (used && path[--used] != '/')
				;
		} else if (length != 1 || *s != '.') {
			if (used + 1 + length >= PATH_MAX)
				return -ENAMETOOLONG;
			path[used] = '/';
			memcpy(path + used + 1, s, length);
			used += 1 + length;
		}
		s += length;
	}
	path[used] = '\0';
	return 0;
}

/*
 * The first link on the way is put in its place. 1 if there was one; 0 if not, and *ret_fd is the end. With
 * is_public the way must be open to everybody.
 */
static int follow_first(int root, bool is_public, char path[PATH_MAX], int *ret_fd)
{
	char target[PATH_MAX];

	for (size_t end = strspn(path, "/");; end += strspn(path + end, "/")) {
		_cleanup_close_ int fd = -1;
		struct stat stat;
		char rest;
		ssize_t n;

		end += strcspn(path + end, "/");
		rest = path[end];
		path[end] = '\0';
		fd = open_below(root, path);
		path[end] = rest;
		if (fd < 0)
			return fd;
		if (fstat(fd, &stat))
			return -errno;
		if (S_ISLNK(stat.st_mode)) {
			n = readlinkat(fd, "", target, sizeof(target) - 1);
			if (n <= 0)
				return n ? -errno : -ENOENT;
			target[n] = '\0';
			return follow(path, end, target) ?: 1;
		}
		if (is_public && rest && !(stat.st_mode & S_IXOTH))
			return -EACCES;
		if (!rest) {
			*ret_fd = TAKE_FD(fd);
			return 0;
		}
	}
}

static int open_by_links(int root, bool is_public, const char *path)
{
	char resolved[PATH_MAX];
	int fd = -1, err = 1;

	if (strlen(path) >= sizeof(resolved))
		return -ENAMETOOLONG;
	strcpy(resolved, path);
	for (int links = 0; err == 1; links++) {
		if (links > LINKS_MAX)
			return -ELOOP;
		err = follow_first(root, is_public, resolved, &fd);
	}
	return err ?: fd;
}

int safe_open_below(int root, const char *path)
{
	return open_by_links(root, false, path);
}

int safe_open_mapping(pid_t tid, const struct procfs_map *map, struct stat *ret_stat)
{
	_cleanup_close_ int fd = -1;
	bool by_name = false;
	struct stat stat;

	if (!map->inode)
		return -ENOENT;
	fd = open_map_file(tid, map);
	if (fd < 0) {
		by_name = true;
		fd = open_in_root(tid, map);
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat))
		return -errno;
	if (!may_read_kind(fd, &stat))
		return -EMEDIUMTYPE;
	if (by_name && !is_mapped(tid, fd, map, &stat))
		return -ESTALE;
	*ret_stat = stat;
	return TAKE_FD(fd);
}

int safe_open_reopen(int path_fd)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The folders above it may be links, it may be none. */
static int open_own(pid_t tid, int root, const char *path, struct stat *ret)
{
	char folder_path[PATH_MAX];
	const char *name = base_name(path);
	_cleanup_close_ int folder = -1, fd = -1;

	if (name == path || (size_t)(name - path) >= sizeof(folder_path))
		return -ENOENT;
	memcpy(folder_path, path, name - path);
	folder_path[name - path] = '\0';
	folder = safe_open_below(root, folder_path);
	if (folder < 0)
		return folder;
	fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, ret))
		return -errno;
	return may_read_own(tid, fd, ret) ? TAKE_FD(fd) : -EACCES;
}

static int open_public(int root, const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open_by_links(root, true, path);

	if (fd < 0)
		return fd;
	if (fstat(fd, ret))
		return -errno;
	return may_read_public(fd, ret) ? TAKE_FD(fd) : -EACCES;
}

int safe_open_named(pid_t tid, const char *path, unsigned int whose, struct stat *ret_stat)
{
	_cleanup_close_ int root = -1, fd = -1;
	char root_path[64] = "/proc/self/root";
	struct stat stat;
	int opened, err = -EACCES;

	if (tid)
		snprintf(root_path, sizeof(root_path), "/proc/%d/root", tid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	if (whose & SAFE_OPEN_OWN)
		err = fd = open_own(tid, root, path, &stat);
	if (err < 0 && err != -ENOENT && whose & SAFE_OPEN_PUBLIC)
		err = fd = open_public(root, path, &stat);
	if (err < 0)
		return err;
	opened = safe_open_reopen(fd);
	if (opened >= 0)
		*ret_stat = stat;
	return opened;
}
