// SPDX-License-Identifier: GPL-2.0-only
/*
 * binaries.c - a bounded hash table of analysed files. A file that was rewritten in place, and given its old
 * size and time of change, would be taken for the old one. That harms only whoever did it.
 * libelf says the same of a broken file and of one for which memory was short or a read failed. So a file is
 * called broken for good only when it was found to be so several times.
 */
#include "python/binaries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "proc/safe_open.h"

#define BROKEN_TIMES 3

/* There must be no padding, because it is hashed as bytes. */
struct binary_key {
	__u64 device;
	__u64 inode;
	__u64 size;
	__u64 seconds;
	__u64 nanoseconds;
};

struct binary {
	struct binary_key key;
	struct image *image; /* NULL: neither a runtime nor asyncio, or not readable */
	unsigned int broken; /* how often it was found to be; 0 = it is sound */
	UT_hash_handle hh;
};

static struct binary *binaries;
static binaries_reader reader = image_read;

void binaries_read_by(binaries_reader read)
{
	reader = read;
}

static void binary_free(struct binary *binary)
{
	free(binary->image);
	free(binary);
}

static void cleanup_binary(struct binary **binary)
{
	if (*binary)
		binary_free(*binary);
}

static void forget_oldest(void)
{
	struct binary *oldest = binaries; /* uthash keeps the order of insertion */

	HASH_DEL(binaries, oldest);
	binary_free(oldest);
}

static int remember(struct binary *binary)
{
	if (HASH_COUNT(binaries) >= BINARIES_MAX)
		forget_oldest();
	HASH_ADD(hh, binaries, key, sizeof(binary->key), binary);
	return binary->hh.tbl ? 0 : -ENOMEM;
}

/* 0 with *ret NULL if there is no runtime in the file. -EBADMSG if it is broken, or another -errno. */
static int analyse(int path_fd, struct image **ret)
{
	_cleanup_free_ struct image *image = malloc(sizeof(*image));
	_cleanup_close_ int fd = -1;
	int err;

	if (!image)
		return -ENOMEM;
	fd = safe_open_reopen(path_fd);
	if (fd < 0)
		return fd;
	err = reader(fd, image);
	if (err == -ENOEXEC) {
		*ret = NULL;
		return 0;
	}
	if (err)
		return err;
	*ret = image->runtime || image->old_thread || image->asyncio || image->needs_python ?
		       TAKE_PTR(image) :
		       NULL;
	return 0;
}

static int add(int path_fd, const struct binary_key *key, struct binary **ret)
{
	_cleanup_(cleanup_binary) struct binary *binary = calloc(1, sizeof(*binary));
	int err;

	if (!binary)
		return -ENOMEM;
	binary->key = *key;
	err = analyse(path_fd, &binary->image);
	if (err && err != -EBADMSG)
		return err;
	binary->broken = err == -EBADMSG;
	err = remember(binary);
	if (err)
		return err;
	*ret = TAKE_PTR(binary);
	return 0;
}

/* One that was met before. It moves to the end of the order. */
static int meet_again(int path_fd, struct binary *binary)
{
	int err;

	HASH_DEL(binaries, binary);
	if (remember(binary)) {
		binary_free(binary);
		return -ENOMEM;
	}
	if (!binary->broken || binary->broken == BROKEN_TIMES)
		return 0;
	err = analyse(path_fd, &binary->image);
	if (!err)
		binary->broken = 0;
	else if (err == -EBADMSG)
		binary->broken++;
	return err == -EBADMSG ? 0 : err;
}

int binaries_get(pid_t tid, const struct procfs_map *map, const struct image **ret)
{
	_cleanup_close_ int fd = -1;
	struct binary *binary;
	struct binary_key key;
	struct stat stat;
	int err;

	fd = safe_open_mapping(tid, map, &stat);
	if (fd < 0)
		return fd;
	key = (struct binary_key){ stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtim.tv_sec,
				   stat.st_mtim.tv_nsec };
	HASH_FIND(hh, binaries, &key, sizeof(key), binary);
	err = binary ? meet_again(fd, binary) : add(fd, &key, &binary);
	if (!err && binary->broken)
		err = -EBADMSG;
	if (err)
		return err;
	*ret = binary->image;
	return 0;
}
