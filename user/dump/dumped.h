/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumped.h - one process as it was looked at: what it is, its threads, and the names of their frames.
 */
#ifndef PYPERF_DUMP_DUMPED_H
#define PYPERF_DUMP_DUMPED_H

#include <sys/types.h>

#include "names/codes.h"
#include "proc/container.h"
#include "proc/procfs.h"
#include "python/identify.h"
#include "python/look.h"

struct sched_clocks;
struct worker;

struct dumped {
	pid_t pid;
	char name[PROCFS_NAME_SIZE];
	struct identity identity;
	struct container container;
	const struct look *look; /* the threads and frames that were seen; NULL: no Python */
	struct look_thread *threads;
	const struct look_frame *frames;
	__u32 *numbers; /* of each frame's code object, in codes */
	struct codes *codes;
	void *bytes; /* what look, threads and frames point into */
};

/* What the process is. 0, -ESRCH, -EPERM, -EACCES, -ETIMEDOUT or another -errno; then *ret is as it was. */
int dumped_identify(struct worker *worker, pid_t pid, struct dumped *ret);
/*
 * Looks at the threads of a process that dumped_identify() has found to be a Python with a layout, and reads
 * the names of their frames. 0, or as above. dumped_free() in any case.
 */
int dumped_look(struct worker *worker, const struct sched_clocks *clocks, struct dumped *d);
void dumped_free(struct dumped *d);

/* Names frame number i of d->frames. Strings live as long as d. */
void dumped_name(const struct dumped *d, __u32 i, struct code_line *ret);

#endif
