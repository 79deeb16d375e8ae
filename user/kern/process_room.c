// SPDX-License-Identifier: GPL-2.0-only
#include "kern/process_room.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "kern/processes.h"
#include "kern/table.h"

#define PART 16 /* of the table, which is freed at once */

/* A process of the table. */
struct tenant {
	__u64 user, start_time;
	__u32 pid;
};

/* By user, and the newest first. */
static int compare(const void *a, const void *b)
{
	const struct tenant *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->start_time < y->start_time) - (x->start_time > y->start_time);
}

static int remove_pid(const struct table *t, __u32 pid)
{
	return !table_remove(t, &pid);
}

static int remove_others(const struct table *t, const struct process_list *list, int wanted)
{
	int made = 0;

	for (size_t i = 0; i < list->count && made < wanted; i++)
		if (process_is_other(list->processes[i].state))
			made += remove_pid(t, list->pids[i]);
	return made;
}

/*
 * Where the user with most begins in tenants, which are in order. *ret_most is how many it has, and *ret_own
 * how many this user has.
 */
static size_t find_most(const struct tenant *tenants, size_t count, __u64 user, size_t *ret_most,
			size_t *ret_own)
{
	size_t most = 0, own = 0, who = 0;

	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && tenants[i + n].user == tenants[i].user; n++)
			;
		if (tenants[i].user == user)
			own = n;
		if (n > most) {
			most = n;
			who = i;
		}
	}
	*ret_most = most;
	*ret_own = own;
	return who;
}

static int remove_of_most(const struct table *t, const struct process_list *list, __u64 user, int wanted)
{
	_cleanup_free_ struct tenant *tenants = calloc(list->count + 1, sizeof(*tenants));
	size_t who, most, own;
	int made = 0;

	if (!tenants)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		tenants[i] = (struct tenant){ list->processes[i].user, list->processes[i].start_time,
					      list->pids[i] };
	qsort(tenants, list->count, sizeof(*tenants), compare);
	who = find_most(tenants, list->count, user, &most, &own);
	if (most < own + 2)
		return 0;
	if ((size_t)wanted > (most - own) / 2)
		wanted = (int)((most - own) / 2);
	for (int i = 0; i < wanted; i++)
		made += remove_pid(t, tenants[who + i].pid);
	return made;
}

static int make(const struct table *t, __u64 user)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	const int wanted = (int)t->entries / PART;
	int made = processes_list(t, &list);

	if (!made)
		made = remove_others(t, &list, wanted);
	return made ?: remove_of_most(t, &list, user, wanted);
}

int process_room_make(struct process_room *r, const struct table *t, __u64 user)
{
	int made;

	if (refusals_has(&r->refused, user))
		return 0;
	made = make(t, user);
	if (made <= 0)
		refusals_add(&r->refused, user);
	return made;
}
