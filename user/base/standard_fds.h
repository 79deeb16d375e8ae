/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * standard_fds.h - stdin, stdout and stderr of a process that was started without one of them, as by
 * `pyperf-bpf dump >&-`: the next file that is opened would take its place, and get what is printed.
 */
#ifndef PYPERF_BASE_STANDARD_FDS_H
#define PYPERF_BASE_STANDARD_FDS_H

#include <stdbool.h>

/*
 * Gives each one that is closed something that can neither be read nor written: -EBADF, as of one that is
 * closed. A program that is executed does not get it. 0 or -errno.
 */
int standard_fds_open(void);

/* Whether something can be written there. */
bool standard_fds_can_write(int fd);

#endif
