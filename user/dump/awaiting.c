// SPDX-License-Identifier: GPL-2.0-only
#include "dump/awaiting.h"

static const struct task *find_task(const struct dumped *d, __u64 address)
{
	for (__u32 i = 0; i < d->tasks->tasks; i++)
		if (d->task_list[i].address == address)
			return &d->task_list[i];
	return NULL;
}

static bool is_met(const struct awaiting *a, const struct task *first, const struct task *t)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->by[i].task == t)
			return true;
	return t == first;
}

void awaiting_find(const struct dumped *d, __u64 address, struct awaiting *ret)
{
	const struct task *first = find_task(d, address), *t = first;

	ret->count = 0;
	ret->end = AWAITING_ROOT;
	while (t && t->awaiters) {
		const struct task *by = &d->task_list[d->awaiters[t->first_awaiter]];

		ret->end = is_met(ret, first, by) ? AWAITING_CYCLE : AWAITING_LONG;
		if (ret->end == AWAITING_CYCLE || ret->count == AWAITING_MAX)
			return;
		ret->by[ret->count].task = by;
		ret->by[ret->count++].others = t->awaiters - 1;
		t = by;
	}
	ret->end = AWAITING_ROOT;
}
