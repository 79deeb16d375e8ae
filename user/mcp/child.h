/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child.h - one run of this program as a child: what it writes is read as it comes, up to a limit.
 */
#ifndef PYPERF_MCP_CHILD_H
#define PYPERF_MCP_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

#define CHILD_OUT_MAX (16 << 20)
#define CHILD_ERR_MAX (64 << 10) /* more is read, and dropped */

struct child {
	pid_t pid;  /* 0 = there is none */
	int fds[2]; /* its stdout and stderr; -1 at their end */
	struct buf out, err;
	bool is_too_much; /* it wrote more than CHILD_OUT_MAX: it was killed */
	int status;	  /* of waitpid(), once it has ended */
};

/*
 * Starts /proc/self/exe with these words in a process group of its own; stdin is empty. It is told to end
 * when this process does. No file that it writes may be larger than file_max, and it has 4 GiB of address
 * space at most. 0 or -errno.
 */
int child_start(struct child *c, char **words, size_t file_max);
/* What is there now of one of the two. */
void child_read(struct child *c, int which);
/* Without waiting: it has ended, and all that it wrote was read. */
bool child_ended(struct child *c);
/* As an exit code; 128 and more for one that a signal ended. */
int child_code(const struct child *c);
void child_signal(const struct child *c, int signal);
/* Ends it, if it has not; frees all. */
void child_free(struct child *c);

#endif
