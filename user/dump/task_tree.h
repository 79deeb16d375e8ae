/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_tree.h - in which order tasks are written, so that what a task awaits stands below it. Tasks that
 * await each other are a graph, and not always one without cycles; each task is written in full once.
 */
#ifndef PYPERF_DUMP_TASK_TREE_H
#define PYPERF_DUMP_TASK_TREE_H

#include <stddef.h>
#include <linux/types.h>

#include "remote/tasks.h"

#define TREE_DEPTH_MAX 16 /* tasks below each other; what is deeper is written further below, as a tree */

enum tree_kind {
	TREE_TASK = 1, /* in full, and what it awaits follows */
	TREE_ABOVE,    /* it was written already: several await it */
	TREE_CYCLE,    /* it is one of those that it stands below: they await each other in a circle */
	TREE_BELOW,    /* it is too deep here */
};

struct tree_row {
	__u32 task;  /* its number */
	__u32 depth; /* 0 = nobody awaits it, or it begins anew */
	__u32 kind;  /* enum tree_kind */
};

/*
 * The rows: each task once as TREE_TASK, and at most one row more for each awaiter. 0, and the caller frees
 * *ret; or -ENOMEM.
 */
int task_tree(const struct tasks *head, const struct task *tasks, const __u32 *awaiters,
	      struct tree_row **ret, size_t *ret_count);

#endif
