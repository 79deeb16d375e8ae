// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_gil.c - threads wait for the GIL, counted or seen by ticks.
 */
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/spots.h"
#include "report/amount.h"

#define WAIT_SECONDS  0.2  /* less is nobody's trouble */
#define WAIT_OF_TIME  0.05
#define HELD_OF_TIME  0.10
#define SECOND_THREAD 0.20 /* of the time: less, and it is no rival of the first one */

/* Of a wait for the GIL: the newest line of who had it. */
static size_t holder(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const size_t held = scene_find(s, stack, 0, MARK_HELD);
	const size_t line = scene_find(s, stack, 0, MARK_PYTHON);

	(void)what;
	return held < stack->n && line < held ? line : SPOT_NO_FRAME;
}

/* For how long threads had no CPU, of the processes in which somebody wanted the GIL. */
static __s64 ready_of_those(const struct scene *s)
{
	__s64 sum = 0;

	for (size_t i = 0; i < s->thread_count;) {
		const __s64 pid = s->threads[i].pid;
		__s64 wants = 0, ready = 0;

		for (; i < s->thread_count && s->threads[i].pid == pid; i++) {
			wants = recorded_sum(wants, s->threads[i].wants);
			ready = recorded_sum(ready, s->threads[i].ready);
		}
		if (wants > 0)
			sum = recorded_sum(sum, ready);
	}
	return sum;
}

/*
 * Who has the GIL and no CPU keeps it from others, too: then CPUs are what is missing. So they must have been
 * free for most of that time. Where that is not known, the GIL must have been held for a while by those that
 * ran.
 */
static bool is_by_holders(const struct scene *s)
{
	__s64 held = 0;

	if (scene_has(s, EVENT_RUNQUEUE))
		return ready_of_those(s) < s->total[EVENT_GIL] / 2;
	for (size_t i = 0; i < s->thread_count; i++)
		held = recorded_sum(held, s->threads[i].holds);
	return !scene_has(s, PROFILE_TIME) || (double)held > HELD_OF_TIME * (double)s->ns;
}

int rule_gil_wait(const struct scene *s, double least, struct finding *ret)
{
	const __s64 waited = s->total[EVENT_GIL];
	const bool has_cpu = scene_has(s, PROFILE_TIME);
	int err;

	says_value(EVENT_GIL, waited, has_cpu ? recorded_sum(waited, s->total[PROFILE_TIME]) : s->ns, ret);
	if (!says_enough(ret, least) || !says_long(s, ret, WAIT_SECONDS, WAIT_OF_TIME) || !is_by_holders(s))
		return 0;
	err = spots_place(s, EVENT_GIL, holder, NULL, &ret->place);
	if (err)
		return err;
	says_text(ret, "Threads waited for the GIL for %s, %.1f %% of the time %s",
		  says_amount(ret, waited).text, 100 * ret->share,
		  has_cpu ? "in which they ran or wanted it" : "that passed");
	if (*ret->place.name)
		says_text(ret, "; for %.1f %% of that %s held it", 100 * ret->place.share,
			  spot_text(&ret->place).text);
	says_text(ret, ".");
	says_more(ret, "--by", "line", NULL);
	return 1;
}

/* What a process's threads had the GIL together. */
struct held {
	__s64 pid, ns, samples;
	int rivals;
};

static struct held worst_process(const struct scene *s)
{
	struct held worst = { 0 }, now = { .pid = -1 };

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct scene_thread *t = &s->threads[i];

		if (t->pid != now.pid)
			now = (struct held){ .pid = t->pid };
		now.ns = recorded_sum(now.ns, t->holds);
		now.samples = recorded_sum(now.samples, t->holds_samples);
		now.rivals += (double)t->holds > SECOND_THREAD * (double)s->ns;
		if (now.rivals > 1 && now.ns > worst.ns)
			worst = now;
	}
	return worst;
}

static size_t held_by(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const struct held *h = what;

	if (!scene_is(s, stack, STATE_HOLDS_GIL) || scene_thread_of(s, stack)->pid != h->pid)
		return SPOT_NOT_IN;
	return spot_own(s, stack, 0);
}

int rule_gil_full(const struct scene *s, double least, struct finding *ret)
{
	const struct held worst = worst_process(s);
	int err;

	if (scene_has(s, EVENT_GIL) || !scene_has(s, PROFILE_TIME))
		return 0;
	says_value(PROFILE_TIME, worst.ns, s->ns, ret);
	says_samples_of_time(ret, worst.samples);
	if (!says_enough(ret, least))
		return 0;
	err = spots_place(s, PROFILE_TIME, held_by, &worst, &ret->place);
	if (err)
		return err;
	says_text(ret,
		  "%d threads of process %lld had its GIL for %s, %.0f %% of the time, so they wait for "
		  "each other",
		  worst.rivals, worst.pid, says_amount(ret, ret->value).text, 100 * ret->share);
	spots_say(ret, "was");
	says_more_of_these(ret, "--by", "thread", NULL);
	return 1;
}
