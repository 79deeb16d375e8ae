// SPDX-License-Identifier: GPL-2.0-only
#include "kern/index_room.h"

#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/fair.h"
#include "bpf/abi.h"
#include "kern/processes.h"

static int layout_of(const struct process *p)
{
	return p->state == PROCESS_PYTHON ? (int)p->layout : -1;
}

static int tasks_of(const struct process *p)
{
	return (int)p->tasks - 1;
}

static int contexts_of(const struct process *p)
{
	return (int)p->contexts - 1;
}

#define INDEXES_MAX CONTEXTS_MAX

_Static_assert(LAYOUTS_MAX <= INDEXES_MAX && TASK_LAYOUTS_MAX <= INDEXES_MAX, "there are more indexes");

static const struct {
	__u32 max;
	int (*of)(const struct process *p); /* -1 = it has none */
} kinds[] = {
	[INDEX_LAYOUT] = { LAYOUTS_MAX, layout_of },
	[INDEX_TASKS] = { TASK_LAYOUTS_MAX, tasks_of },
	[INDEX_CONTEXTS] = { CONTEXTS_MAX, contexts_of },
};

/* What processes have of a table. */
struct census {
	bool used[INDEXES_MAX], own[INDEXES_MAX]; /* by a process of this user */
	__u32 used_count, own_count;
};

static void count(struct census *c, __u32 index, bool own)
{
	c->used_count += !c->used[index];
	c->used[index] = true;
	if (!own)
		return;
	c->own_count += !c->own[index];
	c->own[index] = true;
}

static int find_free(const struct table *processes, enum index_kind kind, __u32 used, __u64 user)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	const __u32 max = kinds[kind].max;
	struct census c = {};
	int err = processes_list(processes, &list);

	if (err)
		return err;
	for (size_t i = 0; i < list.count; i++) {
		const int index = kinds[kind].of(&list.processes[i]);

		if (index >= 0 && index < (int)max)
			count(&c, index, list.processes[i].user == user);
	}
	if (!fair_may(c.own_count, 1, max - c.used_count))
		return -ENOSPC;
	if (used < max)
		return (int)used;
	for (__u32 i = 0; i < max; i++)
		if (!c.used[i])
			return (int)i;
	return -ENOSPC;
}

int index_room_find(struct index_room *r, const struct table *processes, enum index_kind kind, __u32 used,
		    __u64 user)
{
	int found;

	if (fair_may(used, 1, kinds[kind].max - used)) /* even if all are this user's */
		return (int)used;
	if (!refusals_has(&r->refused, user)) {
		found = find_free(processes, kind, used, user);
		if (found != -ENOSPC)
			return found;
		refusals_add(&r->refused, user);
	}
	r->full++;
	return -ENOSPC;
}
