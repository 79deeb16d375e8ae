/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recover.h - the names of processes whose record was lost. Forks, execs and ends are told through the ring
 * buffer, which may be full. The kernel side's table of processes is always right, so what is missing here is
 * found by a comparison with it.
 */
#ifndef PYPERF_TARGETS_RECOVER_H
#define PYPERF_TARGETS_RECOVER_H

#include <stdbool.h>
#include <linux/types.h>

struct kernel;
struct loop;
struct registry;
struct verdicts;

struct recover {
	struct kernel *kernel;
	struct registry *registry;
	struct verdicts *verdicts;
	__u64 lost;	 /* records that had been lost at the last look */
	bool incomplete; /* then something was missing still */
	__u32 rulings;	 /* how many rulings were kept when the dead were last looked for */
};

/*
 * After the records that there are have been read. If records were lost since, it asks the worker about each
 * Python without a name, and ends the processes that are over. It goes on each time until nothing is missing.
 */
void recover_check(struct recover *r);
/* Adds the row that does so each second. 0 or -errno of loop_watch(). */
int recover_watch(struct recover *r, struct loop *loop);

#endif
