/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callbacks.h - who awaits a task or a future, by what asyncio is to call when it is done (CPython 3.8 to
 * 3.13). A task that awaits it has its own wake-up there; gather(), shield() and wait() a function with a
 * future of theirs, which a task awaits in its turn; wait_for() the same in a partial (up to 3.11); a
 * TaskGroup a method, and AnyIO's a function with the group. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_CALLBACKS_H
#define PYPERF_REMOTE_CALLBACKS_H

#include "remote/task_object.h"

/* struct FutureObj, Modules/_asynciomodule.c: loop, the first callback, a list of tuples with the others. */
enum { CALLBACKS_LOOP = OBJECT_FIRST, CALLBACKS_FIRST = OBJECT_SECOND, CALLBACKS_OTHERS = 40 };

#define CALLBACKS_READ 80 /* bytes of a callback that are read at once; what is used of it lies in them */

/*
 * Adds to o the tasks that await the one whose first bytes these are, which is at that address. A future
 * that nobody awaits is added itself. What leads to neither sets other_awaiters, unless it is known to
 * await nothing. 0, or an error as of task_reader_read().
 */
int callbacks_read(struct task_reader *r, __u64 address, const __u8 *bytes, struct task_object *o);

#endif
