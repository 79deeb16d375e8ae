/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - profiles in files and folders into a struct recorded.
 */
#ifndef PYPERF_RECORDED_FILES_H
#define PYPERF_RECORDED_FILES_H

#include <stddef.h>

struct recorded;

/* What is said of files of a folder that are not in what was read. */
#define FILES_UNREADABLE "%zu files could not be read, and are not in here"
#define FILES_TWICE	 "%zu files are left out: the same name is there in another format"
#define FILES_UNREAD	 "%zu files are left out: pprof and OTLP are read, not folded stacks, JSON or HTML"

#define FILES_MAX 100000 /* of one folder */

/*
 * Adds what is in a file ("-" is stdin), or in the files of a folder whose names end in .pb.gz, .pb, .pprof,
 * .otlp.gz or .otlp, in the order of their names. Those that do not touch the stretch of r (recorded.h) are
 * left out. Of a folder, files that cannot be read are counted, and so are those that are left out since
 * another differs only in its suffix, or since nothing reads their format. 0, or -errno with one line in
 * error that names the file.
 */
int files_read(struct recorded *r, const char *path, char *error, size_t size);

#endif
