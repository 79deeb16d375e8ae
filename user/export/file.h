/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - output files that are whole or not there: a reader never sees half a profile, and a failure or a
 * kill leaves the file of before.
 */
#ifndef PYPERF_EXPORT_FILE_H
#define PYPERF_EXPORT_FILE_H

#include <stddef.h>

/*
 * Puts a new file in the place of `path`, mode 0644 less the umask. What exists and is not a regular file (a
 * device, a FIFO, a symbolic link such as /dev/stdout) is not replaced but written to. A FIFO that nobody
 * reads is -ENXIO, not a wait. Any other -errno of open, write, fsync, rename.
 */
int file_write_atomic(const char *path, const void *data, size_t size);

/*
 * Whether file_write_atomic() can be expected to work, to be asked before hours of sampling. -EISDIR,
 * -ENOENT, -ENOTDIR, -EACCES, -EROFS... The answer is that of the privileges held now.
 */
int file_check_writable(const char *path);

/* Writes everything, in as many steps as it takes, waiting for a descriptor that is not ready. */
int fd_write_all(int fd, const void *data, size_t size);

#endif
