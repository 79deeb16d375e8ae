// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_unseen.c - what this profile cannot show.
 */
#include "base/cleanup.h"
#include "findings/cpu_share.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "report/amount.h"

#define LEAST_NS 2000000000LL /* that must have passed: a short run says nothing of who rests */

static size_t marker(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const size_t found = scene_find(s, stack, 0, MARK_MARKER);

	(void)what;
	return found == stack->n ? SPOT_NOT_IN : found;
}

int rule_not_whole(const struct scene *s, double least, struct finding *ret)
{
	says_more_of_these(ret, "--by", "frame", NULL);
	return cpu_share_find(s, least, marker, NULL, "What has no whole stack", ret);
}

/* The only process that there is; NULL: there are others. */
static const struct scene_thread *only_process(const struct scene *s)
{
	for (size_t i = 1; i < s->thread_count; i++)
		if (s->threads[i].pid != s->threads[0].pid)
			return NULL;
	return s->thread_count && s->threads[0].pid ? s->threads : NULL;
}

static bool has_waits(const struct scene *s)
{
	return scene_has(s, EVENT_OFFCPU) || scene_has(s, EVENT_WALL) || scene_has(s, EVENT_GIL) ||
	       scene_has(s, EVENT_TASKS);
}

int rule_only_ticks(const struct scene *s, double least, struct finding *ret)
{
	const struct scene_thread *process = only_process(s);
	const __s64 ran = s->total[PROFILE_TIME];
	struct finding busy = { 0 };

	if (!process || has_waits(s) || !scene_has(s, PROFILE_TIME) || s->ns < LEAST_NS)
		return 0;
	says_value(PROFILE_TIME, ran, s->ns, &busy);
	says_samples_of_time(&busy, s->total[EVENT_CPU]);
	says_value(PROFILE_TIME, s->ns - ran, s->ns, ret);
	ret->is_sampled = true;
	ret->samples = busy.samples;
	ret->low = 1 - busy.high;
	ret->high = 1 - busy.low;
	if (!says_enough(ret, least))
		return 0;
	says_text(ret, "Process %lld ran for %s of %s: what it waited for ticks do not see "
		  "(--event cpu,offcpu does).", process->pid, says_amount(ret, ran).text,
		  says_amount(ret, s->ns).text);
	says_more(ret, "--by", "thread", NULL);
	return 1;
}
