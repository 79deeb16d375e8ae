// SPDX-License-Identifier: GPL-2.0-only
#include "kern/process_table.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/base/ids.h"
#include "kern/known_programs.h"
#include "kern/object.h"
#include "kern/processes.h"
#include "pyperf.skel.h"

bool kernel_sees_gil(const struct kernel *k)
{
	return k->options.needs & NEEDS_GIL;
}

int kernel_list_processes(struct kernel *k, int (*fn)(void *, const struct record_process *), void *context)
{
	return processes_iterate(k->skel->progs.list_processes, fn, context);
}

__u32 kernel_new_process_id(struct kernel *k)
{
	return new_id(k->skel->bss->held_ids, &k->skel->bss->last_process_id);
}

void kernel_hold_process_id(struct kernel *k, __u32 id, bool hold)
{
	__u64 *word = &k->skel->bss->held_ids[id % PROCESS_IDS / 64], bit = 1ULL << id % 64;

	if (hold)
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

int kernel_set_process(struct kernel *k, __u32 pid, const struct process *p)
{
	const struct bpf_map *map = k->skel->maps.processes;
	int err = bpf_map__update_elem(map, &pid, sizeof(pid), p, sizeof(*p), BPF_ANY);

	if (err == -E2BIG && process_room_make(&k->process_room, map, p->user) > 0)
		err = bpf_map__update_elem(map, &pid, sizeof(pid), p, sizeof(*p), BPF_ANY);
	k->processes_full += err == -E2BIG;
	if (!err && process_is_counted(p->state))
		accounts_meet(k);
	__atomic_add_fetch(&k->skel->bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	return bpf_map__lookup_elem(k->skel->maps.processes, &pid, sizeof(pid), ret, sizeof(*ret), 0);
}

int kernel_remove_process(struct kernel *k, __u32 pid)
{
	int err = bpf_map__delete_elem(k->skel->maps.processes, &pid, sizeof(pid), 0);

	__atomic_add_fetch(&k->skel->bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	return bpf_map__lookup_elem(k->skel->maps.layouts, &index, sizeof(index), ret, sizeof(*ret), 0);
}

int kernel_add_layout(struct kernel *k, const struct layout *l, __u64 user)
{
	struct layout have;
	int i, err;

	for (i = 0; i < (int)k->layouts; i++) {
		err = kernel_get_layout(k, i, &have);
		if (!err && !memcmp(&have, l, sizeof(have)))
			return i;
	}
	i = index_room_find(&k->layout_room, k->skel->maps.processes, INDEX_LAYOUT, k->layouts, user);
	if (i < 0)
		return i;
	known_programs_forget_layout(k->skel->maps.known_programs, i);
	err = bpf_map__update_elem(k->skel->maps.layouts, &i, sizeof(i), l, sizeof(*l), BPF_ANY);
	if (err)
		return err;
	k->layouts += i == (int)k->layouts;
	return i;
}

int kernel_processes(const struct kernel *k, struct process_list *ret)
{
	return processes_list(k->skel->maps.processes, ret);
}
