// SPDX-License-Identifier: GPL-2.0-only
#include "kern/process_table.h"

#include <errno.h>
#include <string.h>

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
	return k->home->list(k, fn, context);
}

__u32 kernel_new_process_id(struct kernel *k)
{
	return new_id(k->side.bss->held_ids, &k->side.bss->last_process_id);
}

void kernel_hold_process_id(struct kernel *k, __u32 id, bool hold)
{
	__u64 *word = &k->side.bss->held_ids[id % PROCESS_IDS / 64], bit = 1ULL << id % 64;

	if (hold)
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

int kernel_set_process(struct kernel *k, __u32 pid, const struct process *p)
{
	const struct table *t = &k->side.processes;
	int err = table_set(t, &pid, p);

	if (err == -E2BIG && process_room_make(&k->process_room, t, p->user) > 0)
		err = table_set(t, &pid, p);
	k->processes_full += err == -E2BIG;
	if (!err && process_is_counted(p->state))
		accounts_meet(k);
	__atomic_add_fetch(&k->side.bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	return table_get(&k->side.processes, &pid, ret);
}

int kernel_remove_process(struct kernel *k, __u32 pid)
{
	int err = table_remove(&k->side.processes, &pid);

	__atomic_add_fetch(&k->side.bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	return table_get(&k->side.layouts, &index, ret);
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
	i = index_room_find(&k->layout_room, &k->side.processes, INDEX_LAYOUT, k->layouts, user);
	if (i < 0)
		return i;
	known_programs_forget_layout(&k->side.known_programs, i);
	err = table_set(&k->side.layouts, &i, l);
	if (err)
		return err;
	k->layouts += i == (int)k->layouts;
	return i;
}

int kernel_processes(const struct kernel *k, struct process_list *ret)
{
	return processes_list(&k->side.processes, ret);
}
