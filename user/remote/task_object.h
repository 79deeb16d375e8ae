/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_object.h - one task, or a future that awaits others: its name, its coroutines, who awaits it.
 */
#ifndef PYPERF_REMOTE_TASK_OBJECT_H
#define PYPERF_REMOTE_TASK_OBJECT_H

#include <stdbool.h>
#include <linux/types.h>

#include "remote/coroutines.h"
#include "remote/task_list.h"

#define OBJECT_AWAITERS_MAX 4096 /* of one task */
#define OBJECT_SLOTS	    1024 /* of a set's table that are read at once */
#define OBJECT_SLOTS_MAX    (1 << 15) /* of one set */

/* By which a task that waits is known again. */
struct task_mark {
	__u64 words[3];
};

struct task_object {
	bool steady;  /* it did not change in one of the attempts; else only the name may be set */
	bool unread;  /* the look is spent (-E2BIG) */
	bool is_task; /* not another future */
	char name[TASK_NAME_SIZE];
	struct task_mark mark; /* of one that is steady */
	__u64 loop;	       /* up to 3.13; 0 = not known */
	struct chain chain;
	__u32 awaiter_count;
	bool more_awaiters;
	bool other_awaiters; /* something that is no task and no future is told of its end (up to 3.13) */
	__u64 awaiters[OBJECT_AWAITERS_MAX];
	/* Memory for the reading itself. */
	struct chain again;
	__u64 slots[OBJECT_SLOTS][2];
};

/* Reads ahead what task_object_read() will want of these, of which there are at most OBJECTS_AHEAD. */
#define OBJECTS_AHEAD 32
void task_object_ahead(struct task_reader *r, const struct task_found *found, size_t count);

/*
 * Reads one that was found. 0, also for one that is not steady; or the -errno
 * of a process that cannot be read at all.
 */
int task_object_read(struct task_reader *r, const struct task_found *found, struct task_object *ret);

/* Whether it is as it was when it was read. */
bool task_object_is_still(struct task_reader *r, const struct task_found *found,
			  const struct task_mark *mark);

/* The task that runs in a thread, by its thread state; 0 = none. 0 or an error as of task_reader_read(). */
int task_object_running(struct task_reader *r, __u64 tstate, __u64 *ret_task);

/* Its name. 0, or an error as of task_reader_name(). */
int task_object_name(struct task_reader *r, __u64 task, char ret[TASK_NAME_SIZE]);

#endif
