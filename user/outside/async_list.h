/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * async_list.h - the tasks that were found, each once, in the order in which they were met.
 */
#ifndef PYPERF_OUTSIDE_ASYNC_LIST_H
#define PYPERF_OUTSIDE_ASYNC_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "outside/async_reader.h"

struct async_found {
	__u64 address;
	__u64 running; /* the thread state that runs it; 0 = none */
	pid_t tid;     /* the thread in whose list it is; 0 = in none, or its thread has ended */
	bool listed;   /* it was in a list, so that it has a node there */
};

struct async_list {
	size_t count, most;
	bool more; /* there were others, or a list came apart while it was read */
	struct async_found *found;
	__u32 *slots; /* open addressing: index + 1, 0 = free */
	size_t slot_count; /* a power of two */
};

/* Makes a list of at most `most` tasks. 0 or -ENOMEM. async_list_free() in any case. */
int async_list_new(struct async_list *list, size_t most);
void async_list_free(struct async_list *list);

/* The number of the task, which is added if it is new; -E2BIG if there is no room, which sets more. */
int async_list_add(struct async_list *list, __u64 address);

/*
 * Adds all tasks of a linked list, from the address of its head. It is read again when it changed meanwhile;
 * if it always does, what was found stays, and more is set. 0, or an error as of async_read() if nothing can
 * be read at all.
 */
int async_list_read(struct async_list *list, struct async_reader *r, __u64 head, pid_t tid);

#endif
