/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - writes output files whole or not at all. A reader never sees half a profile. After a failure or a
 * kill the file that was there before is still there.
 */
#ifndef PYPERF_EXPORT_FILE_H
#define PYPERF_EXPORT_FILE_H

#include <stddef.h>

/*
 * Puts a new file in the place of `path`, of mode 0644 less the umask. What is there and is not a regular
 * file (a device, a FIFO, a symbolic link such as /dev/stdout) is not replaced but written to. Returns 0;
 * -ENXIO, without waiting, for a FIFO that nobody reads; or another -errno of open, write, fsync or rename.
 */
int file_write_atomic(const char *path, const void *data, size_t size);

/*
 * Whether file_write_atomic() can be expected to work; to be asked before hours of sampling. 0, or why not:
 * -EISDIR, -ENOENT, -ENOTDIR, -EACCES, -EROFS and the like. -ENOENT also of a folder that was removed. The
 * answer holds for the privileges of this moment.
 */
int file_check_writable(const char *path);

/*
 * In words, why one of these two failed with this -errno. A working folder that was removed can still be
 * entered, and what is made in it fails in ways that say nothing.
 */
const char *file_why(const char *path, int err);

/* Writes everything, in as many steps as it takes, waiting for a descriptor that is not ready. */
int fd_write_all(int fd, const void *data, size_t size);

#endif
