/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_layouts.h - with --async: tells the kernel side where processes keep asyncio's tasks.
 */
#ifndef PYPERF_KERN_TASK_LAYOUTS_H
#define PYPERF_KERN_TASK_LAYOUTS_H

#include <stdbool.h>

#include "bpf/abi.h"
#include "kern/index_room.h"

struct kernel;

struct task_layouts {
	struct kernel *kernel;
	__u32 count; /* that were used, of TASK_LAYOUTS_MAX */
	struct index_room room;
};

/* Before loading: leaves out what reads tasks unless it is wanted. */
void task_layouts_prepare(struct task_layouts *t, struct kernel *k);
bool task_layouts_are_wanted(const struct task_layouts *t);

/*
 * Finds or adds one for a process of this user, where there is no room in place of one that no process has.
 * Its number plus one, as struct process.tasks has it; 0 if none is wanted, or there is no room for this user
 * (index_room.h).
 */
__u32 task_layouts_add(struct task_layouts *t, const struct task_layout *l, __u64 user);

/* Makes it that of process id, which has this pid. 0; -ESRCH if the process is gone; or another -errno. */
int task_layouts_set(const struct task_layouts *t, __u32 pid, __u32 id, __u32 tasks);

/* The layouts of the kernel side. */
struct task_layouts *kernel_task_layouts(struct kernel *k);

#endif
