/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_list.h - the tasks that were found, each once, in the order in which they were met.
 */
#ifndef PYPERF_REMOTE_TASK_LIST_H
#define PYPERF_REMOTE_TASK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "remote/task_reader.h"

struct task_found {
	__u64 address;
	__u64 running; /* the thread state that runs it; 0 = none */
	pid_t tid;     /* the thread in whose list it is; 0 = in none, or its thread has ended */
	bool listed;   /* it was in a list (from 3.14 on it has a node there) */
};

struct task_list {
	size_t count, most;
	bool more; /* there were others, or a list came apart while it was read */
	struct task_found *found;
	__u32 *slots;	   /* open addressing: index + 1, 0 = free */
	size_t slot_count; /* a power of two */
};

/* Makes a list of at most `most` tasks. 0 or -ENOMEM. task_list_free() in any case. */
int task_list_new(struct task_list *list, size_t most);
void task_list_free(struct task_list *list);

/* The number of the task, which is added if it is new; -E2BIG if there is no room, which sets more. */
int task_list_add(struct task_list *list, __u64 address);

/* The number of the task; -1 if it is not in the list. */
int task_list_find(const struct task_list *list, __u64 address);

/*
 * Adds all tasks of a linked list, from the address of its head. It is read again when it changed meanwhile;
 * if it always does, what was found stays, and more is set. 0, or an error as of task_reader_read() if
 * nothing can be read at all.
 */
int task_list_read(struct task_list *list, struct task_reader *r, __u64 head, pid_t tid);

#endif
