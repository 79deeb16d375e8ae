// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/unpacked.h"

#define STEP ((size_t)64 << 10)

struct names {
	char **list;
	size_t count, capacity;
};

static void free_names(struct names *n)
{
	while (n->count)
		free(n->list[--n->count]);
	free(n->list);
}

static int fail(int err, char *error, size_t size, const char *path, const char *why)
{
	snprintf(error, size, "%s: %s", path, why);
	return err;
}

/* Reads on to the end. A file that grows without one is too large some time. */
static int read_all(int fd, struct buf *out)
{
	for (;;) {
		int err = out->size > UNPACKED_MAX ? -EFBIG : buf_reserve(out, STEP);
		ssize_t n;

		if (err)
			return err;
		n = read(fd, out->data + out->size, STEP);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		out->size += n;
	}
}

static int open_file(const char *path, int *ret)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		*ret = STDIN_FILENO;
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	fcntl(fd, F_SETFL, 0); /* a pipe is waited for */
	*ret = fd;
	return 0;
}

static int read_file(struct recorded *r, const char *path, char *error, size_t size)
{
	_cleanup_buf_ struct buf data = { 0 };
	const char *why = NULL;
	int fd = -1, err = open_file(path, &fd);

	if (err)
		return fail(err, error, size, path,
			    err == -EINVAL ? "it is neither a file nor a folder" : strerror(-err));
	err = read_all(fd, &data);
	if (fd != STDIN_FILENO)
		close(fd);
	if (err)
		return fail(err, error, size, path, strerror(-err));
	err = read_pprof(r, data.data, data.size, &why);
	return err ? fail(err, error, size, path, why) : 0;
}

static bool is_profile(const char *name)
{
	static const char *const suffixes[] = { ".pb.gz", ".pb", ".pprof" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const size_t n = strlen(name), k = strlen(suffixes[i]);

		if (n > k && *name != '.' && !strcmp(name + n - k, suffixes[i]))
			return true;
	}
	return false;
}

static int add_name(struct names *n, const char *folder, const char *name)
{
	const size_t capacity = n->capacity ? n->capacity * 2 : 64;
	char **list;

	if (n->count == FILES_MAX)
		return -E2BIG;
	if (n->count == n->capacity) {
		list = realloc(n->list, capacity * sizeof(*list));
		if (!list)
			return -ENOMEM;
		n->list = list;
		n->capacity = capacity;
	}
	if (asprintf(&n->list[n->count], "%s/%s", folder, name) < 0)
		return -ENOMEM;
	n->count++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(const char *path, struct names *ret)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	int err = 0;

	if (!d)
		return -errno;
	while (!err && (e = readdir(d)))
		if (is_profile(e->d_name))
			err = add_name(ret, path, e->d_name);
	closedir(d);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_name);
	return err;
}

/*
 * A file that is damaged costs only itself, unless it was damaged in the middle: what it had until there
 * would be in the sums. So each is read alone first.
 */
static int read_one_of_many(struct recorded *r, const char *path, char *error, size_t size)
{
	_cleanup_recorded_ struct recorded alone = { .from_ns = r->from_ns, .to_ns = r->to_ns };
	int err = read_file(&alone, path, error, size);

	if (err == -ENOMEM)
		return err;
	if (err) {
		r->unreadable++;
		return 0;
	}
	return read_file(r, path, error, size);
}

static int read_folder(struct recorded *r, const char *path, char *error, size_t size)
{
	_cleanup_(free_names) struct names names = { 0 };
	int err = list_folder(path, &names);

	if (err)
		return fail(err, error, size, path, strerror(-err));
	if (!names.count)
		return fail(-ENOENT, error, size, path,
			    "no file there has a name that ends in .pb.gz, .pb or .pprof");
	for (size_t i = 0; i < names.count && !err; i++)
		err = read_one_of_many(r, names.list[i], error, size);
	return err;
}

int files_read(struct recorded *r, const char *path, char *error, size_t size)
{
	struct stat st;

	if (!strncmp(path, "http://", 7) || !strncmp(path, "https://", 8))
		return fail(-EINVAL, error, size, path,
			    "an address is not read; fetch it: curl -o profile.pb.gz URL");
	if (strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode))
		return read_folder(r, path, error, size);
	return read_file(r, path, error, size);
}
