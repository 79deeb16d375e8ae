/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks_text.h - the asyncio tasks of a process as text for people.
 */
#ifndef PYPERF_DUMP_TASKS_TEXT_H
#define PYPERF_DUMP_TASKS_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "dump/dumped.h"

/* Adds the process and its tasks as trees: below a task its coroutines, and the tasks that it awaits. 0 or
 * -ENOMEM. */
int tasks_text(const struct dumped *d, bool colour, struct buf *out);

/* All tasks as a table, with a line for each task: where it waits, and who awaits it. */
int tasks_table(const struct dumped *d, bool colour, struct buf *out);

#endif
