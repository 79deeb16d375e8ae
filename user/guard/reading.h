/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reading.h - how the child finds the answer to one request: a function for each row of requests.def.
 */
#ifndef PYPERF_GUARD_READING_H
#define PYPERF_GUARD_READING_H

#include <sys/types.h>

#include "base/buf.h"

struct image;
struct pods;
struct worker_reply;
struct worker_request;

/* The child's work. Before and after it, the child checks that the process is still the one that is meant. */
struct reading {
	const struct worker_request *request;
	pid_t tid; /* of CODE and TABLE: the thread by which the process's memory is reached */
	struct pods *pods;
	struct worker_reply *reply; /* for what is no table; all 0 but for its head */
	struct buf table;
};

#define WORKER_REQUEST(name, about, read, answer, table_max) int read(struct reading *r);
#include "guard/requests.def"
#undef WORKER_REQUEST

/*
 * Has the parser read an ELF file that is open, for the identity of a process. 0; -EAGAIN if that has taken
 * so long already that the answer would be late: it is to be asked again, and goes on where it was; another
 * -errno. Without a parser this process ends.
 */
int reading_image_in_time(int fd, struct image *ret);
/* A request about the identity of a process begins. */
void reading_begin_images(void);

#endif
