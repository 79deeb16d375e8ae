// SPDX-License-Identifier: GPL-2.0-only
#include "export/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "export/file.h"

#define PATTERN	 "pyperf-bpf-00000000T000000.000Z.pb.gz" /* 0 is any digit */
/* names taken, one after the other: ten seconds of them */
#define ATTEMPTS 10000

_Static_assert(sizeof(PATTERN) <= FOLDER_NAME_SIZE, "FOLDER_NAME_SIZE");

static bool is_ours(const char *name)
{
	const char *p = PATTERN;

	for (; *p && *name; p++, name++)
		if (*p == '0' ? *name < '0' || *name > '9' : *name != *p)
			return false;
	return !*p && !*name;
}

static void make_name(const struct timespec *when, char name[FOLDER_NAME_SIZE])
{
	struct tm tm;
	size_t n;

	gmtime_r(&when->tv_sec, &tm);
	n = strftime(name, FOLDER_NAME_SIZE, "pyperf-bpf-%Y%m%dT%H%M%S", &tm);
	snprintf(name + n, FOLDER_NAME_SIZE - n, ".%03uZ.pb.gz",
		 (unsigned int)(when->tv_nsec / 1000000) % 1000);
}

static char *join(const char *path, const char *name)
{
	char *joined;

	return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

int folder_make(const char *path)
{
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static bool has_parent(const char *path)
{
	_cleanup_free_ char *above = strdup(path);
	struct stat st;

	return above && !stat(dirname(above), &st) && st.st_nlink;
}

const char *folder_why(const char *path, int err)
{
	if (err == -ENOENT && *path != '/' && !has_parent("x"))
		return "the working folder was removed";
	if (err == -ENOENT && !has_parent(path))
		return "the folder above it is not there, and only the last one is made";
	return strerror(-err);
}

int folder_check(const char *path)
{
	_cleanup_free_ char *probe = join(path, PATTERN);

	return probe ? file_check_writable(probe) : -ENOMEM;
}

/* Whether these bytes are what the file has, and all. */
static bool has_bytes(const char *path, const char *data, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char part[4096];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != size)
		return false;
	for (; size; data += n, size -= n) {
		n = read(fd, part, size < sizeof(part) ? size : sizeof(part));
		if (n <= 0 || memcmp(part, data, n))
			return false;
	}
	return true;
}

struct bytes {
	const void *data;
	size_t size;
};

/* -EALREADY: under this name the folder has the file that is to be added. */
static int find_name(const char *path, struct timespec when, const struct bytes *b,
		     char name[FOLDER_NAME_SIZE], char **ret_path)
{
	struct stat st;

	for (int i = 0; i < ATTEMPTS; i++) {
		_cleanup_free_ char *joined = NULL;

		make_name(&when, name);
		joined = join(path, name);
		if (!joined)
			return -ENOMEM;
		if (lstat(joined, &st) < 0) {
			*ret_path = TAKE_PTR(joined);
			return 0; /* any other error is said when it is written */
		}
		if (has_bytes(joined, b->data, b->size))
			return -EALREADY;
		when.tv_nsec += 1000000;
		when.tv_sec += when.tv_nsec / 1000000000;
		when.tv_nsec %= 1000000000;
	}
	return -EEXIST;
}

int folder_add(const char *path, const struct timespec *start, const void *data, size_t size,
	       char ret_name[FOLDER_NAME_SIZE])
{
	_cleanup_free_ char *joined = NULL;
	char name[FOLDER_NAME_SIZE];
	int err = find_name(path, *start, &(struct bytes){ data, size }, name, &joined);

	if (err && err != -EALREADY)
		return err;
	err = err ? 0 : file_write_atomic(joined, data, size);
	if (err) {
		/*
		 * It may be there, when only the folder could not be synced: it will be written again, so not
		 * twice.
		 */
		unlink(joined);
		return err;
	}
	memcpy(ret_name, name, sizeof(name));
	return 0;
}

struct folder_file {
	char name[FOLDER_NAME_SIZE];
	unsigned long long bytes;
};

struct files {
	struct folder_file *list;
	size_t n, capacity;
};

/* From the newest to the oldest, as folder_prune() says. */
static int newest_first(const void *a, const void *b, void *now)
{
	const struct folder_file *x = a, *y = b;
	int future_x = strcmp(x->name, now) > 0, future_y = strcmp(y->name, now) > 0;

	if (future_x != future_y)
		return future_x - future_y;
	return strcmp(y->name, x->name);
}

static int add_file(struct files *f, const char *name, unsigned long long bytes)
{
	if (f->n == f->capacity) {
		size_t more = f->capacity ? 2 * f->capacity : 64;
		struct folder_file *grown = reallocarray(f->list, more, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		f->list = grown;
		f->capacity = more;
	}
	memcpy(f->list[f->n].name, name, sizeof(PATTERN));
	f->list[f->n++].bytes = bytes;
	return 0;
}

#define STALE_SECONDS 3600

/*
 * A file that was being written when its writer was killed. Another profiler may write into the same folder,
 * but not for so long.
 */
static bool is_stale(const char *name, const struct stat *st)
{
	size_t n = strlen(name);

	return n > sizeof(".tmp") && !strncmp(name, ".pyperf-bpf.", 12) && !strcmp(name + n - 4, ".tmp") &&
	       S_ISREG(st->st_mode) && st->st_mtime < time(NULL) - STALE_SECONDS;
}

static int list_files(DIR *d, struct files *f)
{
	struct dirent *e;
	struct stat st;
	int err = 0;

	while (!err && (e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (is_stale(e->d_name, &st))
			unlinkat(dirfd(d), e->d_name, 0);
		if (!is_ours(e->d_name) || !S_ISREG(st.st_mode))
			continue;
		err = add_file(f, e->d_name, st.st_size);
	}
	return err;
}

static void sort_files(struct files *f)
{
	const __u64 ns = clock_unix_ns();
	const struct timespec when = { ns / NS_PER_SECOND, ns % NS_PER_SECOND };
	char now[FOLDER_NAME_SIZE];

	make_name(&when, now);
	if (f->n)
		qsort_r(f->list, f->n, sizeof(*f->list), newest_first, now);
}

/* How much there is of a file and of those that are newer. */
struct kept {
	unsigned long long files, bytes;
};

static bool stays(const struct folder_keep *keep, struct kept *kept, const struct folder_file *file)
{
	kept->files++;
	kept->bytes += file->bytes;
	return (!keep->files || kept->files <= keep->files) && (!keep->bytes || kept->bytes <= keep->bytes);
}

int folder_prune(const char *path, const struct folder_keep *keep, const char *newest, size_t *ret_removed)
{
	struct files f = {};
	struct kept kept = {};
	size_t removed = 0;
	DIR *d = opendir(path);
	int err, result = 0;

	if (!d)
		return -errno;
	err = list_files(d, &f);
	sort_files(&f);
	for (size_t i = 0; !err && i < f.n; i++)
		if (!strcmp(f.list[i].name, newest))
			kept = (struct kept){ 1, f.list[i].bytes };
	for (size_t i = 0; !err && i < f.n; i++) {
		if (!strcmp(f.list[i].name, newest) || stays(keep, &kept, &f.list[i]))
			continue;
		if (!unlinkat(dirfd(d), f.list[i].name, 0))
			removed++;
		else if (!result)
			result = -errno;
	}
	closedir(d);
	free(f.list);
	if (!err)
		*ret_removed = removed;
	return err ?: result;
}
