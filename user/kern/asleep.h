/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asleep.h - the programs that take stacks which were looked at from outside. Those of threads that slept
 * before anybody could take their stack: one program lists them, and another takes the stacks; they are
 * loaded with those of kern/waits.h. And those of asyncio's tasks.
 */
#ifndef PYPERF_KERN_ASLEEP_H
#define PYPERF_KERN_ASLEEP_H

#include <stdbool.h>

#include "base/buf.h"
#include "bpf/abi.h"
#include "kern/table.h"

struct kernel;
struct pyperf;

struct asleep_programs {
	struct pyperf *skel;
	struct table table;
	struct outside_stack *outside; /* the table, mapped; NULL: they are not wanted, or not ready yet */
	__u32 max_depth;	       /* Python frames of a stack that are wanted */
	bool all;		       /* every process is of interest */
	bool by_thread;		       /* a thread has a root of its own, */
	bool main_only;		       /* ... and only the main thread of a process is of interest */
};

/*
 * Before loading: leaves out the programs for threads, and that for tasks, unless they are needed (enum
 * event_needs bits). With waits for the GIL alone nobody is listed, but the list also sweeps the table of
 * waits (asleep_list()).
 */
void asleep_prepare(struct pyperf *skel, __u32 needs);
/* Makes ready what needs privileges. More than once is as once. 0 or -errno. */
int asleep_open(struct asleep_programs *a, struct pyperf *skel, __u32 max_depth);
void asleep_close(struct asleep_programs *a);
/* Whether threads can be listed now: the programs are ready, and waits are seen. */
bool asleep_is_open(const struct asleep_programs *a);

/* The generation of the call tree: threads are to be listed again when it has changed. */
__u32 asleep_generation(const struct asleep_programs *a);

/*
 * Adds a struct asleep to out for each thread that sleeps and whose stack is not known. Those that had no
 * wait have one from now on. Entries of the table of waits that no thread had in two lists in a row are free
 * again. 0; or -errno, such as -ENOMEM, and then some may have been added.
 */
int asleep_list(const struct asleep_programs *a, struct buf *out);

/*
 * Has the stack in a->outside taken: all of it but the answers is the caller's. An enum outside_result, with
 * the answers in the table; or -errno.
 */
int asleep_give(const struct asleep_programs *a);

/* Whether stacks of tasks are taken now. */
bool asleep_takes_tasks(const struct asleep_programs *a);

/*
 * Has the time of asyncio tasks counted, and what else is in a->outside for add_tasks: all of it but the
 * answers is the caller's. 0, with the answers of its frames in the table; or -errno.
 */
int asleep_give_tasks(const struct asleep_programs *a);

/* The programs of the kernel side. */
const struct asleep_programs *kernel_asleep(const struct kernel *k);

#endif
