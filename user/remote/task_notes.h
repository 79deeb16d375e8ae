/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_notes.h - what is known of each task while a look (tasks.h) goes on: which are to be read once more,
 * and which have ended meanwhile. A look reads in rounds. In each round those tasks are read that had gone on
 * in the one before. After it is checked whether they are still as they were: only then was who awaits them
 * read while it did.
 */
#ifndef PYPERF_REMOTE_TASK_NOTES_H
#define PYPERF_REMOTE_TASK_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "remote/task_list.h"
#include "remote/task_object.h"
#include "remote/tasks.h"

struct task_note {
	struct task_mark mark;
	bool again;	 /* it is read in this round */
	bool gone;	 /* it went on before those that await it were read */
	bool ended;	 /* it is in no list any more */
	bool was_before; /* it awaits one that was read after it */
};

/* The tasks of a look, the numbers of those that await them, and a note of each. */
struct task_notes {
	const struct task *tasks;
	const __u32 *awaiters;
	struct task_note *notes;
	size_t count;
};

/* After a round. Then which tasks are to be compared with their marks. */
void task_notes_begin_check(const struct task_notes *n);
bool task_notes_is_to_check(const struct task_notes *n, size_t number);

/* Marks those that are to be read in the next round. Returns how many. */
size_t task_notes_mark_again(const struct task_notes *n);

/*
 * Takes out of those the tasks that were in a list, and are not in the lists of now: they have ended, even if
 * another object is at their address. Tasks that are said to be awaited by such a one have ended, too, or are
 * read again.
 */
void task_notes_mark_ended(const struct task_notes *n, struct task_list *found, const struct task_list *now);

#endif
