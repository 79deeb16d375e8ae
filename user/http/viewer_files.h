/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * viewer_files.h - the release of speedscope that somebody has put into a folder (--speedscope), to be served
 * beside the page. It is read once, before the run begins, so what a client asks for is only compared with
 * names that are known.
 */
#ifndef PYPERF_HTTP_VIEWER_FILES_H
#define PYPERF_HTTP_VIEWER_FILES_H

#include <stddef.h>

#define VIEWER_PLACE	 "/speedscope/"
#define VIEWER_FILES_MAX 64
#define VIEWER_NAME_SIZE 128
#define VIEWER_BYTES_MAX (16UL << 20) /* of all of them */

struct viewer_file {
	char name[VIEWER_NAME_SIZE];
	const char *type; /* its Content-Type */
	char *data;
	size_t size;
};

struct viewer_files;

/*
 * Reads the files of a page that are in this folder; other files, links and folders in it are left out. 0;
 * -ENOENT: there is no index.html; -E2BIG: more files, or more bytes, than there may be; -ENOMEM; another
 * -errno.
 */
int viewer_files_load(const char *folder, struct viewer_files **ret);
void viewer_files_free(struct viewer_files *v); /* NULL is fine */
/*
 * The file at this path of an address; that of the place itself is index.html. NULL: there is none, as in
 * NULL.
 */
const struct viewer_file *viewer_files_find(const struct viewer_files *v, const char *path);

#endif
