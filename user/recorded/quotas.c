// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/quotas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (1LL << 53)
#define OTHERS	   " and others"
#define OF_CGROUP  " of cgroup "

static bool is_sane(const struct recorded_quota *q)
{
	const __s64 numbers[] = { q->quota_us, q->period_us, q->ended_early, q->periods, q->held_us,
				  q->ran_us };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i] < 0 || numbers[i] >= NUMBER_MAX)
			return false;
	return q->period_us;
}

bool recorded_quota_has(const struct recorded_quota *q, __s64 pid)
{
	for (size_t i = 0; i < q->pid_count; i++)
		if (q->pids[i] == pid)
			return true;
	return false;
}

static void add_pid(struct recorded_quota *q, __s64 pid)
{
	if (recorded_quota_has(q, pid))
		return;
	if (q->pid_count == RECORDED_QUOTA_PIDS)
		q->more = 1;
	else
		q->pids[q->pid_count++] = pid;
}

/* " 12 34 and others of cgroup /a" */
static bool parse_processes(const char *at, struct recorded_quota *q)
{
	while (*at == ' ' && at[1] >= '0' && at[1] <= '9') {
		char *end;
		const long long pid = strtoll(at, &end, 10);

		if (pid > 0 && pid < NUMBER_MAX)
			add_pid(q, pid);
		at = end;
	}
	if (!strncmp(at, OTHERS, strlen(OTHERS))) {
		q->more = 1;
		at += strlen(OTHERS);
	}
	if (strncmp(at, OF_CGROUP, strlen(OF_CGROUP)))
		return false;
	snprintf(q->cgroup, sizeof(q->cgroup), "%s", at + strlen(OF_CGROUP));
	return true;
}

static bool parse(const char *comment, struct recorded_quota *ret)
{
	struct recorded_quota q = { .cgroup = "" };
	long long quota, period, early, periods, held, ran;
	int end = 0;

	if (sscanf(comment,
		   "CPU quota %16lld of %16lld us: used up in %16lld of %16lld periods, threads were held "
		   "back for %16lld us and ran for %16lld us; processes%n",
		   &quota, &period, &early, &periods, &held, &ran, &end) != 6 ||
	    !end)
		return false;
	q.quota_us = quota;
	q.period_us = period;
	q.ended_early = early;
	q.periods = periods;
	q.held_us = held;
	q.ran_us = ran;
	if (!is_sane(&q) || !parse_processes(comment + end, &q))
		return false;
	*ret = q;
	return true;
}

/* Such sums stay below NUMBER_MAX, too, so that nanoseconds made of them fit. */
static __s64 sum_of(__s64 a, __s64 b)
{
	return a + b < NUMBER_MAX ? a + b : NUMBER_MAX - 1;
}

static void add_quota(struct recorded_quota *sum, const struct recorded_quota *q)
{
	sum->quota_us = q->quota_us;
	sum->period_us = q->period_us;
	sum->periods = sum_of(sum->periods, q->periods);
	sum->ended_early = sum_of(sum->ended_early, q->ended_early);
	sum->held_us = sum_of(sum->held_us, q->held_us);
	sum->ran_us = sum_of(sum->ran_us, q->ran_us);
	for (size_t i = 0; i < q->pid_count; i++)
		add_pid(sum, q->pids[i]);
	sum->more |= q->more;
}

void recorded_quotas_comment(struct recorded_quotas *q, const char *comment)
{
	struct recorded_quota one;

	if (!parse(comment, &one))
		return;
	for (size_t i = 0; i < q->count; i++) {
		if (!strcmp(q->rows[i].cgroup, one.cgroup)) {
			add_quota(&q->rows[i], &one);
			return;
		}
	}
	if (q->count < RECORDED_QUOTAS_MAX)
		q->rows[q->count++] = one;
}
