// SPDX-License-Identifier: GPL-2.0-only
#include "http/viewer_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define INDEX "index.html"

struct viewer_files {
	struct viewer_file files[VIEWER_FILES_MAX];
	size_t count, bytes;
};

static const struct {
	const char *suffix, *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".png", "image/png" },
	{ ".ico", "image/x-icon" },
	{ ".woff2", "font/woff2" },
};

/* NULL: it is no part of a page, or its name is none that an address has as it is. */
static const char *type_of(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const size_t n = strlen(name);

	if (*name == '.' || n >= VIEWER_NAME_SIZE || strspn(name, letters) != n)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const size_t length = strlen(types[i].suffix);

		if (n > length && !strcmp(name + n - length, types[i].suffix))
			return types[i].type;
	}
	return NULL;
}

/* All of a file of that size. */
static int read_all(int fd, size_t size, char **ret)
{
	_cleanup_free_ char *data = malloc(size + 1);
	size_t done = 0;
	ssize_t n = 1;

	if (!data)
		return -ENOMEM;
	while (done < size && n) {
		n = pread(fd, data + done, size - done, done);
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? n : 0;
	}
	if (done < size)
		return -EIO; /* it has become shorter */
	*ret = TAKE_PTR(data);
	return 0;
}

static int add_file(struct viewer_files *v, int folder, const char *name, const char *type)
{
	_cleanup_close_ int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct viewer_file *f = &v->files[v->count];
	struct stat stat;
	int err;

	if (fd < 0)
		return errno == ELOOP ? 0 : -errno;
	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return 0;
	if (v->count == VIEWER_FILES_MAX || (__u64)stat.st_size > VIEWER_BYTES_MAX - v->bytes)
		return -E2BIG;
	err = read_all(fd, stat.st_size, &f->data);
	if (err)
		return err;
	strcpy(f->name, name);
	f->type = type;
	f->size = stat.st_size;
	v->bytes += f->size;
	v->count++;
	return 0;
}

static int add_folder(struct viewer_files *v, const char *path)
{
	_cleanup_closedir_ DIR *folder = opendir(path);
	const struct dirent *entry;
	int err = 0;

	if (!folder)
		return -errno;
	while (!err && (entry = readdir(folder))) {
		const char *type = type_of(entry->d_name);

		if (type)
			err = add_file(v, dirfd(folder), entry->d_name, type);
	}
	return err;
}

int viewer_files_load(const char *folder, struct viewer_files **ret)
{
	struct viewer_files *v = calloc(1, sizeof(*v));
	int err = v ? add_folder(v, folder) : -ENOMEM;

	if (!err && !viewer_files_find(v, VIEWER_PLACE))
		err = -ENOENT;
	if (err) {
		viewer_files_free(v);
		return err;
	}
	*ret = v;
	return 0;
}

void viewer_files_free(struct viewer_files *v)
{
	for (size_t i = 0; v && i < v->count; i++)
		free(v->files[i].data);
	free(v);
}

const struct viewer_file *viewer_files_find(const struct viewer_files *v, const char *path)
{
	const size_t place = strlen(VIEWER_PLACE);
	const char *name = path + place;

	if (!v || strncmp(path, VIEWER_PLACE, place))
		return NULL;
	for (size_t i = 0; i < v->count; i++)
		if (!strcmp(v->files[i].name, *name ? name : INDEX))
			return &v->files[i];
	return NULL;
}
