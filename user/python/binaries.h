/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binaries.h - remembers what ELF files contain, by device, inode, size and time of change, so that the
 * libraries that all programs share are read once. Most answers are "no runtime in it".
 */
#ifndef PYPERF_PYTHON_BINARIES_H
#define PYPERF_PYTHON_BINARIES_H

#include "elf/image.h"
#include "proc/procfs.h"

#define BINARIES_MAX 4096 /* files that are remembered; the least recently used is forgotten first */

/* Reads an image as image_read() does. -EAGAIN: not now; what was read before is kept. */
typedef int (*binaries_reader)(int fd, struct image *ret);

/* From now on files are read by this one: the worker has its parser do it. Before, image_read() is it. */
void binaries_read_by(binaries_reader read);

/*
 * What is in the file behind a mapping of thread tid. Returns 0; *ret is then the image if the file has a
 * Python runtime or asyncio's offsets, and NULL if not. It is valid until the next call. -EBADMSG if the file
 * is broken; another -errno if it could not be reached or read.
 */
int binaries_get(pid_t tid, const struct procfs_map *map, const struct image **ret);

#endif
