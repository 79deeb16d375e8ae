/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_table.h - the kernel side's tables of processes and of layouts, entry by entry: which processes are
 * profiled, and how their memory is read. processes.h has what is done with a table as a whole.
 */
#ifndef PYPERF_KERN_PROCESS_TABLE_H
#define PYPERF_KERN_PROCESS_TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct kernel;
struct process_list;

/* Whether waits for the GIL are of interest. */
bool kernel_sees_gil(const struct kernel *k);

/* Calls fn for each process of the machine; stops and returns fn's value when that is not 0. */
int kernel_list_processes(struct kernel *k, int (*fn)(void *context, const struct record_process *p),
			  void *context);

__u32 kernel_new_process_id(struct kernel *k);
/* While an id is held, because there are still names for it, neither side gives it to another process. */
void kernel_hold_process_id(struct kernel *k, __u32 id, bool hold);
/*
 * 0, or -errno: -E2BIG when the table is full, and nobody is to make room for a process of its user
 * (process_room.h).
 */
int kernel_set_process(struct kernel *k, __u32 pid, const struct process *p);
/* Every entry; processes_list() of processes.h says more. */
int kernel_processes(const struct kernel *k, struct process_list *ret);
int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret);
/*
 * The same of the image with this struct process.id. -ESRCH: it has ended, or executed another one, which has
 * the same pid and start time.
 */
static inline int kernel_get_image(struct kernel *k, __u32 pid, __u32 id, struct process *ret)
{
	int err = kernel_get_process(k, pid, ret);

	return err ?: ret->id == id ? 0 : -ESRCH;
}
int kernel_remove_process(struct kernel *k, __u32 pid);
/*
 * Finds or adds a layout for a process of this user, in the place of one that no process has any more if need
 * be. Returns its index, or -errno: -ENOSPC when there is no room, or the user has its share (index_room.h).
 */
int kernel_add_layout(struct kernel *k, const struct layout *l, __u64 user);
int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret);

#endif
