/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * written.h - a folder of a test's own, and what has been written there.
 */
#ifndef PYPERF_TESTS_FORGE_WRITTEN_H
#define PYPERF_TESTS_FORGE_WRITTEN_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/forge/decode.h"

static char folder[64];

static inline int make_folder(void)
{
	strcpy(folder, "/tmp/pyperf-written.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static inline const char *path_of(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline int is_no_dot(const struct dirent *e)
{
	return *e->d_name != '.';
}

/* Files in the folder; the name of the last by their order is in *ret_last, if that is not NULL. */
static inline int count_files(const char **ret_last)
{
	static char last[256];
	struct dirent **names;
	int n = scandir(folder, &names, is_no_dot, alphasort);

	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		snprintf(last, sizeof(last), "%s", names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (ret_last)
		*ret_last = n ? last : NULL;
	return n;
}

static inline void read_file(const char *name, struct buf *b)
{
	_cleanup_close_ int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	do {
		assert_int_equal(buf_reserve(b, 65536), 0);
		n = read(fd, (char *)b->data + b->size, 65536);
		assert_true(n >= 0);
		b->size += n;
	} while (n);
}

static inline unsigned long long samples_in(const Pyperf__Profile *d)
{
	unsigned long long sum = 0;

	for (size_t i = 0; i < d->n_sample; i++)
		sum += d->sample[i]->value[0];
	return sum;
}

/* All samples of a file in pprof. */
static inline unsigned long long samples_of(const char *name)
{
	_cleanup_buf_ struct buf b = { 0 };
	unsigned long long sum;
	Pyperf__Profile *d;

	read_file(name, &b);
	d = decode(&b);
	sum = samples_in(d);
	pyperf__profile__free_unpacked(d, NULL);
	return sum;
}

#endif
