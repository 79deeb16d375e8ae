/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ready.h - how many descriptors are ready that an event loop waits for: the kernel has a list of them for
 * each epoll descriptor. It is read without its lock, so what is found is a number of about that moment, and
 * every step of it may fail.
 */
#ifndef PYPERF_BPF_EVENTS_READY_H
#define PYPERF_BPF_EVENTS_READY_H

#include <bpf/bpf_core_read.h>

#define READY_MAX 64 /* descriptors that are told apart */

/* Where the kernel keeps what is ready of this descriptor of epoll, on which a thread waits; 0 = unknown. */
static __always_inline __u64 ready_list(const struct task_struct *task, __u64 descriptor)
{
	struct files_struct *files = task->files;
	struct fdtable *table;
	struct file **all, *file;
	unsigned int count;
	void *data;

	if (!bpf_core_type_exists(struct eventpoll) || bpf_core_read(&table, sizeof(table), &files->fdt) ||
	    bpf_core_read(&count, sizeof(count), &table->max_fds) || descriptor >= count ||
	    bpf_core_read(&all, sizeof(all), &table->fd) ||
	    bpf_probe_read_kernel(&file, sizeof(file), all + descriptor) ||
	    bpf_core_read(&data, sizeof(data), &file->private_data) || !data)
		return 0;
	return (__u64)data + bpf_core_field_offset(struct eventpoll, rdllist);
}

/* So many are in that list, READY_MAX at most. A global function: the verifier looks at it once. */
__noinline __u32 ready_count(__u64 list)
{
	__u64 at = list;
	__u32 count = 0;

	if (!list)
		return 0;
	for (; count < READY_MAX; count++)
		if (bpf_probe_read_kernel(&at, sizeof(at), (const void *)at) || at == list || !at)
			break;
	return count;
}

#endif
