/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_file.h - a file of /proc that is read again and again, as a whole. It stays open from its first
 * reading on, since opening it costs as much as what the kernel writes. It is of the process or thread for
 * which it was opened, never of another one that has its number later.
 */
#ifndef PYPERF_HOSTED_KEPT_FILE_H
#define PYPERF_HOSTED_KEPT_FILE_H

#include <stddef.h>

struct kept_file {
	int fd; /* 0: it is not open */
};

/* From now on files stay open, as long as half of the descriptors are left. Without it none does. */
void kept_files_begin(void);
/* Its text now, NUL-terminated, size - 1 bytes of it at most. 0; -ESRCH: whom it is of has ended; -errno. */
int kept_file_read(struct kept_file *f, const char *path, char *text, size_t size);
void kept_file_close(struct kept_file *f);

#endif
