// SPDX-License-Identifier: GPL-2.0-only
#include "targets/recover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/loop.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "kern/stats.h"
#include "proc/procfs.h"
#include "targets/registry.h"
#include "targets/rulings.h"
#include "targets/verdicts.h"

#define RULINGS_MIN 16384 /* rulings below which nobody looks for the dead among them */

/* --- Pythons without a name --------------------------------------------------------------------------- */

/* Asks about one of them. Whether it has a name. */
static bool has_name(struct recover *r, __u32 pid, const struct process *p)
{
	struct record_process ask = {
		.type = RECORD_PROCESS,
		.pid = pid,
		.start_time = p->start_time,
		.exec_id = p->exec_id,
		.user = p->user,
	};
	struct procfs_stat stat;

	if (!process_is_counted(p->state) || registry_find(r->registry, p->id))
		return true;
	if (procfs_stat(pid, &stat))
		return true; /* it has ended meanwhile */
	memcpy(ask.comm, stat.name, sizeof(ask.comm));
	verdicts_ask(r->verdicts, &ask);
	return false;
}

/* --- processes that are over -------------------------------------------------------------------------- */

struct ids {
	__u32 *ids; /* those in the kernel's table, in order */
	size_t count;
	struct recover *recover;
};

static int compare_ids(const void *a, const void *b)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

static int end_if_over(void *context, const struct registry_entry *e)
{
	const struct ids *live = context;

	if (!e->ended && !bsearch(&e->id, live->ids, live->count, sizeof(e->id), compare_ids))
		verdicts_ended(live->recover->verdicts, e->pid, e->id);
	return 0;
}

static int end_those_over(struct recover *r, const struct process_list *list)
{
	_cleanup_free_ __u32 *ids = calloc(list->count + 1, sizeof(*ids));
	struct ids live = { ids, list->count, r };

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		ids[i] = list->processes[i].id;
	qsort(ids, list->count, sizeof(*ids), compare_ids);
	registry_each(r->registry, end_if_over, &live);
	return 0;
}

/* --- rulings on processes that are gone --------------------------------------------------------------- */

/* Their end is not told when the table had no room for them. */
static bool lives(void *context, const struct ruling *ruling)
{
	struct procfs_stat stat;

	(void)context;
	return !procfs_stat(ruling->pid, &stat);
}

static void forget_the_dead(struct recover *r)
{
	if (verdicts_count(r->verdicts) < RULINGS_MIN || verdicts_count(r->verdicts) / 2 < r->rulings)
		return;
	verdicts_keep(r->verdicts, lives, NULL);
	r->rulings = verdicts_count(r->verdicts);
}

static int compare(struct recover *r)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	size_t nameless = 0;
	int err = kernel_processes(r->kernel, &list);

	if (err)
		return err;
	for (size_t i = 0; i < list.count; i++)
		nameless += !has_name(r, list.pids[i], &list.processes[i]);
	if (nameless)
		log_debug("%zu processes have no name, because their records were lost: asked again",
			  nameless);
	r->incomplete = nameless;
	return end_those_over(r, &list);
}

void recover_check(struct recover *r)
{
	struct kernel_stats stats;

	forget_the_dead(r);
	kernel_stats(r->kernel, &stats);
	if (stats.sum.lifecycle_lost == r->lost && !r->incomplete)
		return;
	r->lost = stats.sum.lifecycle_lost;
	if (compare(r))
		r->incomplete = true;
}

static void recover_on_turn(void *recover, unsigned int ready)
{
	if (ready & LOOP_SECOND)
		recover_check(recover);
}

int recover_watch(struct recover *r, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, NULL, recover_on_turn, r });
}
