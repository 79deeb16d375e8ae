/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - profiles in files and folders into a struct recorded.
 */
#ifndef PYPERF_RECORDED_FILES_H
#define PYPERF_RECORDED_FILES_H

#include <stddef.h>

struct recorded;

#define FILES_MAX 100000 /* of one folder */

/*
 * Adds what is in a file ("-" is stdin), or in the files of a folder whose names end in .pb.gz, .pb or
 * .pprof, in the order of their names. Those that do not touch the stretch of r (recorded.h) are left out.
 * Of a folder, files that cannot be read are counted. 0, or -errno with one line in error that names the
 * file.
 */
int files_read(struct recorded *r, const char *path, char *error, size_t size);

#endif
