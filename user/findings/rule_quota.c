// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_quota.c - a cgroup's quota of CPU time held its threads back. The kernel counts that for each CPU of
 * the cgroup; how long each thread waited for it is only known to lie between two bounds.
 */
#include <stdio.h>

#include "base/clock.h"
#include "findings/held_back.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "report/amount.h"

#define HELD_SECONDS 0.2 /* less is nobody's trouble */
#define HELD_OF_TIME 0.05

static const struct recorded_quota *worst(const struct scene *s)
{
	const struct recorded_quotas *all = &s->recorded->quotas;
	const struct recorded_quota *most = NULL;

	for (size_t i = 0; i < all->count; i++)
		if (!most || all->rows[i].held_us > most->held_us)
			most = &all->rows[i];
	return most;
}

/* The pod that one of its processes is in; "" = in none, or its name is not known. */
static const char *pod_of(const struct scene *s, const struct recorded_quota *q)
{
	__u32 key;

	if (recorded_string(s->recorded, "pod", 3, &key))
		return "";
	for (__u32 id = 1; id <= recorded_stacks(s->recorded); id++) {
		const struct recorded_stack stack = recorded_get_stack(s->recorded, id);
		const struct recorded_label *pod = recorded_find_label(&stack, key);

		if (pod && !pod->is_number && recorded_quota_has(q, scene_thread_of(s, &stack)->pid))
			return recorded_get_string(s->recorded, pod->text);
	}
	return "";
}

static void say_whom(const struct scene *s, const struct recorded_quota *q, struct finding *f)
{
	const char *pod = pod_of(s, q);

	if (*pod)
		says_text(f, "pod %.64s, ", pod);
	says_text(f, "cgroup %.256s (", q->cgroup);
	for (size_t i = 0; i < q->pid_count && i < 3; i++)
		says_text(f, "%s%lld", i ? ", " : q->pid_count == 1 && !q->more ? "process " : "processes ",
			  q->pids[i]);
	says_text(f, "%s)", q->more || q->pid_count > 3 ? " and others" : "");
}

/* How much of what its threads waited in run queues it is, where that was measured. */
static void say_ready(const struct scene *s, const struct recorded_quota *q, struct finding *f)
{
	const struct held_back h = held_back_of(s, q);

	if (h.ready) {
		says_text(f, "; of the %s that they could run and did not, %.0f ",
			  says_amount(f, h.ready).text, 100.0 * (double)h.least / (double)h.ready);
		if (h.most > h.least)
			says_text(f, "to %.0f ", 100.0 * (double)h.most / (double)h.ready);
		says_text(f, "%% are that");
	}
	says_text(f, ".");
}

int rule_cpu_quota(const struct scene *s, double least, struct finding *ret)
{
	const struct recorded_quota *q = worst(s);
	__s64 held;

	if (!q)
		return 0;
	held = q->held_us * NS_PER_US;
	says_value(EVENT_RUNQUEUE, held, recorded_sum(held, q->ran_us * NS_PER_US), ret);
	if (!says_enough(ret, least) || !says_long(s, ret, HELD_SECONDS, HELD_OF_TIME))
		return 0;
	ret->doubt = "the kernel's count, for each CPU and not for each thread";
	says_text(ret, "A quota of %.2f CPUs held back the threads of ",
		  (double)q->quota_us / (double)q->period_us);
	say_whom(s, q, ret);
	says_text(ret, " for %s, in %lld of %lld periods of %lld ms: %.1f %% of the time in which CPUs ran "
		  "them or would have", says_amount(ret, held).text, q->ended_early, q->periods,
		  q->period_us / 1000, 100 * ret->share);
	say_ready(s, q, ret);
	says_more(ret, "--by", "process", NULL);
	return 1;
}
