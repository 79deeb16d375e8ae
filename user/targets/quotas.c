// SPDX-License-Identifier: GPL-2.0-only
#include "targets/quotas.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* The row of that cgroup, or else the one to be used for it. */
static struct quota_row *find_row(struct quotas *q, const char *path)
{
	struct quota_row *oldest = &q->rows[0];

	for (size_t i = 0; i < QUOTAS_MAX; i++) {
		struct quota_row *row = &q->rows[i];

		if (row->number && !strcmp(row->last.path, path))
			return row;
		if (row->met < oldest->met)
			oldest = row;
	}
	return oldest;
}

/* Another cgroup may have the name now. */
static bool goes_on(const struct quota_row *row, const struct cpu_quota *now)
{
	const struct cpu_quota *last = &row->last;

	return row->number && !strcmp(last->path, now->path) && now->periods >= last->periods &&
	       now->ended_early >= last->ended_early && now->held_us >= last->held_us &&
	       now->ran_us >= last->ran_us;
}

static void add_pid(struct quota_row *row, __u32 pid)
{
	for (__u32 i = 0; i < row->pid_count; i++)
		if (row->pids[i] == pid)
			return;
	if (row->pid_count == PROFILE_QUOTA_PIDS) {
		memmove(row->pids, row->pids + 1, (PROFILE_QUOTA_PIDS - 1) * sizeof(row->pids[0]));
		row->pid_count--;
		row->more = 1;
	}
	row->pids[row->pid_count++] = pid;
}

void quotas_meet(struct quotas *q, __u32 pid, const struct cpu_quota *read)
{
	struct quota_row *row;

	if (!*read->path)
		return;
	row = find_row(q, read->path);
	if (!goes_on(row, read))
		*row = (struct quota_row){ .number = ++q->numbers, .first = *read };
	row->last = *read;
	row->met = ++q->meetings;
	add_pid(row, pid);
}

static struct quota_counts counts_of(const struct cpu_quota *q)
{
	return (struct quota_counts){ q->periods, q->ended_early, q->held_us, q->ran_us };
}

void quotas_set_mark(const struct quotas *q, struct quotas_mark *ret)
{
	for (size_t i = 0; i < QUOTAS_MAX; i++) {
		ret->rows[i].number = q->rows[i].number;
		ret->rows[i].counts = counts_of(&q->rows[i].last);
	}
}

static struct profile_quota difference(const struct quota_row *row, const struct quotas_mark *from,
				       const struct quotas_mark *to, size_t i)
{
	const bool was_there = from->rows[i].number == row->number;
	const struct quota_counts end = to->rows[i].counts,
				  begin = was_there ? from->rows[i].counts : counts_of(&row->first);
	struct profile_quota d = {
		.quota_us = row->last.quota_us,
		.period_us = row->last.period_us,
		.periods = end.periods - begin.periods,
		.ended_early = end.ended_early - begin.ended_early,
		.held_us = end.held_us - begin.held_us,
		.ran_us = end.ran_us - begin.ran_us,
		.pid_count = row->pid_count,
		.more = row->more,
	};

	memcpy(d.pids, row->pids, sizeof(d.pids));
	snprintf(d.cgroup, sizeof(d.cgroup), "%s", row->last.path);
	return d;
}

/* The list stays sorted. */
static void keep(struct profile_info *info, const struct profile_quota *d)
{
	__u32 at = info->quota_count;

	while (at && info->quotas[at - 1].held_us < d->held_us)
		at--;
	if (at == PROFILE_QUOTAS_MAX)
		return;
	if (info->quota_count < PROFILE_QUOTAS_MAX)
		info->quota_count++;
	memmove(&info->quotas[at + 1], &info->quotas[at],
		(info->quota_count - at - 1) * sizeof(info->quotas[0]));
	info->quotas[at] = *d;
}

void quotas_between(const struct quotas *q, const struct quotas_mark *from, const struct quotas_mark *to,
		    struct profile_info *ret)
{
	ret->quota_count = 0;
	for (size_t i = 0; i < QUOTAS_MAX; i++) {
		const struct quota_row *row = &q->rows[i];
		struct profile_quota d;

		if (!row->number || row->number != to->rows[i].number)
			continue;
		d = difference(row, from, to, i);
		if (d.held_us)
			keep(ret, &d);
	}
}
