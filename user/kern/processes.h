/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - the kernel side's tables of processes and of layouts, as a whole. process_table.h has what is
 * done with one entry.
 */
#ifndef PYPERF_KERN_PROCESSES_H
#define PYPERF_KERN_PROCESSES_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct table;
struct bpf_program;

/*
 * Runs the iterator over all tasks: calls fn for each process of the machine; stops and returns fn's value
 * when that is not 0. -errno if the iterator cannot be run.
 */
int processes_iterate(const struct bpf_program *iterator, int (*fn)(void *, const struct record_process *),
		      void *context);

/* All entries of the table, in no order. Both arrays are to be freed. */
struct process_list {
	__u32 *pids;
	struct process *processes;
	size_t count;
};

/* Reads all of it. An entry that comes or goes meanwhile may be missing. 0 or -errno. */
int processes_list(const struct table *t, struct process_list *ret);
void processes_list_clear(struct process_list *list);

#endif
