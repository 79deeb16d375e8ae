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
#include "formats/formats.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/unpacked.h"

#define STEP ((size_t)64 << 10)

/* Names of files that are read. Of those that differ in it alone the first that can be is read. */
static const char *const suffixes[] = { ".pb.gz", ".pb", ".pprof", ".otlp.gz", ".otlp" };

struct name {
	char *path;
	size_t stem; /* bytes of it without the suffix */
	size_t suffix;
};

struct file_names {
	struct name *list;
	size_t count, capacity;
};

static void free_names(struct file_names *n)
{
	while (n->count)
		free(n->list[--n->count].path);
	free(n->list);
}

static int fail(int err, char *error, size_t size, const char *path, const char *why)
{
	snprintf(error, size, "%s: %s", path, why);
	return err;
}

/* Reads on to the end. A file that grows without one is too large some time. */
static int read_to_the_end(int fd, struct buf *out)
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

/*
 * Files of the kernel say that they are empty, and to read one may take something from it, or never end. A
 * pipe may never end either.
 */
static bool is_taken(const struct stat *st, bool is_wary)
{
	return S_ISREG(st->st_mode) ? st->st_size || !is_wary : S_ISFIFO(st->st_mode) && !is_wary;
}

static int open_file(const char *path, bool is_wary, int *ret)
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
	if (fstat(fd, &st) || !is_taken(&st, is_wary)) {
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
	int fd = -1, err = open_file(path, r->is_wary, &fd);

	if (err)
		return fail(err, error, size, path,
			    err == -EINVAL ? "it is neither a file nor a folder" : strerror(-err));
	err = read_to_the_end(fd, &data);
	if (fd != STDIN_FILENO)
		close(fd);
	if (err)
		return fail(err, error, size, path, strerror(-err));
	err = read_pprof(r, data.data, data.size, &why);
	return err ? fail(err, error, size, path, why) : 0;
}

static bool ends_in(const char *name, const char *suffix)
{
	const size_t n = strlen(name), k = strlen(suffix);

	return n > k && *name != '.' && !strcmp(name + n - k, suffix);
}

/* The index of its suffix; -1: it is none that is read. */
static int find_suffix(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (ends_in(name, suffixes[i]))
			return (int)i;
	return -1;
}

static bool is_other_format(const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (ends_in(name, format_rows[i].suffix))
			return true;
	return false;
}

static int add_name(struct file_names *n, const char *folder, const char *name, size_t suffix)
{
	const size_t capacity = n->capacity ? n->capacity * 2 : 64;
	struct name *list;
	int size;

	if (n->count == FILES_MAX)
		return -E2BIG;
	if (n->count == n->capacity) {
		list = realloc(n->list, capacity * sizeof(*list));
		if (!list)
			return -ENOMEM;
		n->list = list;
		n->capacity = capacity;
	}
	size = asprintf(&n->list[n->count].path, "%s/%s", folder, name);
	if (size < 0)
		return -ENOMEM;
	n->list[n->count].stem = size - strlen(suffixes[suffix]);
	n->list[n->count++].suffix = suffix;
	return 0;
}

static int compare_stems(const struct name *x, const struct name *y)
{
	const size_t least = x->stem < y->stem ? x->stem : y->stem;

	return memcmp(x->path, y->path, least) ?: (x->stem > y->stem) - (x->stem < y->stem);
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return compare_stems(x, y) ?: (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

static int list_folder(const char *path, struct recorded *r, struct file_names *ret)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	int err = 0;

	if (!d)
		return -errno;
	while (!err && (e = readdir(d))) {
		const int suffix = find_suffix(e->d_name);

		if (suffix >= 0)
			err = add_name(ret, path, e->d_name, suffix);
		else
			r->unread_formats += is_other_format(e->d_name);
	}
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
	_cleanup_recorded_ struct recorded alone = { .from_ns = r->from_ns, .to_ns = r->to_ns,
						     .is_wary = r->is_wary };
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
	_cleanup_(free_names) struct file_names names = { 0 };
	bool has_it = false; /* what was last read, in one of its formats */
	int err = list_folder(path, r, &names);

	if (err)
		return fail(err, error, size, path, strerror(-err));
	if (!names.count)
		return fail(-ENOENT, error, size, path,
			    "no file there has a name that ends in .pb.gz, .pb, .pprof, .otlp.gz or .otlp");
	for (size_t i = 0; i < names.count && !err; i++) {
		const size_t unreadable = r->unreadable;

		has_it &= i && !compare_stems(&names.list[i - 1], &names.list[i]);
		if (has_it) {
			r->twice++;
			continue;
		}
		err = read_one_of_many(r, names.list[i].path, error, size);
		has_it = r->unreadable == unreadable;
	}
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
