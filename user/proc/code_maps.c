// SPDX-License-Identifier: GPL-2.0-only
#include "proc/code_maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/owner.h"
#include "proc/perf_map.h"
#include "proc/procfs.h"
#include "proc/safe_open.h"

/* What is sent of each mapping: this, the path, a NUL. */
struct sent_map {
	__u64 start, end, offset;
	struct code_file file;
	__u32 path_size; /* with its NUL */
	__u32 has_file;
	__u32 writable;
	__u32 user;
};

struct code_file code_file_of(const struct stat *stat)
{
	return (struct code_file){ stat->st_dev, stat->st_ino, stat->st_size, stat->st_mtim.tv_sec,
				   stat->st_mtim.tv_nsec };
}

struct code_maps_reading {
	pid_t tid;
	__u32 user;
	struct buf *out;
	size_t count;
	/* The file that was looked at last: its mappings are neighbours. */
	dev_t device;
	__u64 inode;
	struct code_file file;
	struct code_file perf_map; /* once it was looked for */
	bool looked;
};

static void identify_file(struct code_maps_reading *r, const struct procfs_map *map)
{
	_cleanup_close_ int fd = -1;
	struct stat stat;

	if (r->inode && map->inode == r->inode && map->device == r->device)
		return;
	r->inode = map->inode;
	r->device = map->device;
	r->file = (struct code_file){ 0 };
	fd = safe_open_mapping(r->tid, map, &stat);
	if (fd >= 0)
		r->file = code_file_of(&stat);
}

/* The perf map, for code that a compiler has made at run time. */
static struct code_file perf_map_of(struct code_maps_reading *r)
{
	_cleanup_close_ int fd = -1;
	struct stat stat;

	if (!r->looked)
		fd = perf_map_open(r->tid, &stat);
	if (fd >= 0)
		r->perf_map = code_file_of(&stat);
	r->looked = true;
	return r->perf_map;
}

/* The kernel's page for old programs is in every list, at an address of the kernel, and in no count. */
static bool is_code(const struct procfs_map *map)
{
	return map->execute && strcmp(map->path, "[vsyscall]");
}

/* Memory that is shared has a file by these names, which nobody has made (mm/shmem.c, hugetlbfs). */
static bool is_memory(const struct procfs_map *map)
{
	return !map->inode ||
	       (map->deleted && (!strcmp(map->path, "/dev/zero") || !strcmp(map->path, "/anon_hugepage")));
}

static int on_map(const struct procfs_map *map, void *context)
{
	struct code_maps_reading *r = context;
	const bool memory = is_memory(map);
	const char *path = memory && map->inode ? "" : map->path;
	struct sent_map sent = { map->start, map->end, map->offset, .path_size = strlen(path) + 1 };
	int err;

	if (!is_code(map))
		return 0;
	if (r->count++ == CODE_MAPS_MAX || r->out->size + sizeof(sent) + sent.path_size > CODE_MAPS_BYTES_MAX)
		return -E2BIG;
	sent.has_file = !memory;
	sent.writable = map->write;
	sent.user = r->user;
	if (!memory) {
		identify_file(r, map);
		sent.file = r->file;
	} else if (*path != '[' || !strncmp(path, "[anon", 5)) {
		sent.file = perf_map_of(r);
	}
	err = buf_add(r->out, &sent, sizeof(sent));
	return err ?: buf_add(r->out, path, sent.path_size);
}

/* What is not known is of one user, too. */
static __u32 user_of(pid_t tid)
{
	uid_t user = ~0U;

	procfs_read_user(tid, &user);
	return user;
}

int code_maps_read(pid_t tid, struct buf *out)
{
	struct code_maps_reading r = { .tid = tid, .user = user_of(tid), .out = out };
	const size_t size = out->size;
	int err = procfs_maps(tid, on_map, &r);

	if (err)
		out->size = size;
	return err;
}

int code_maps_next(const void *bytes, size_t size, size_t *at, struct code_map *ret)
{
	struct sent_map sent;
	const char *path;

	if (*at == size)
		return 0;
	if (size - *at < sizeof(sent))
		return -EBADMSG;
	memcpy(&sent, (const char *)bytes + *at, sizeof(sent));
	path = (const char *)bytes + *at + sizeof(sent);
	if (!sent.path_size || sent.path_size > PATH_MAX || sent.path_size > size - *at - sizeof(sent) ||
	    strnlen(path, sent.path_size) != sent.path_size - 1)
		return -EBADMSG;
	if (sent.start >= sent.end || sent.end >> 56 || sent.offset >> 56 || (*at && sent.start < ret->end))
		return -EBADMSG;
	*ret = (struct code_map){ sent.start, sent.end,	       sent.offset,   sent.file,
				  path,	      !sent.has_file, sent.writable, owner_of_user(sent.user) };
	*at += sizeof(sent) + sent.path_size;
	return 1;
}
