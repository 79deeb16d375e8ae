/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - the kernel side's tables of processes and of layouts, as a whole. kernel.h has what is done
 * with one entry.
 */
#ifndef PYPERF_KERN_PROCESSES_H
#define PYPERF_KERN_PROCESSES_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct bpf_map;

/* All entries of the table, in no order. Both arrays are to be freed. */
struct process_list {
	__u32 *pids;
	struct process *processes;
	size_t count;
};

/* Reads all of it. An entry that comes or goes meanwhile may be missing. 0 or -errno. */
int processes_list(const struct bpf_map *map, struct process_list *ret);
void processes_list_clear(struct process_list *list);

/*
 * Takes a sixteenth of the table away from programs that are no Python; the kernel side asks about them again
 * when they run. Returns how many entries are free now that were not, or -errno.
 */
int processes_make_room(const struct bpf_map *map);

/* The index of a layout that no process in the table has, or -ENOSPC. */
int processes_free_layout(const struct bpf_map *map);

#endif
