// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_pool.c - a pool's threads have no work, while another thread of their process computes all the time. A
 * pool that waits while nobody computes is a healthy one.
 */
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/spots.h"
#include "report/amount.h"

#define POOL_SECONDS  0.2
#define POOL_OF_TIME  0.1
#define FEEDER_BUSY   0.70 /* of the time of the thread that could give them work */

struct pool {
	__s64 pid, idle, time;
	int threads;
	const struct scene_thread *feeder; /* who computes most of those that are not of the pool */
};

static bool is_busy(const struct scene_thread *t)
{
	return t && (double)t->cpu >= FEEDER_BUSY * (double)recorded_sum(t->cpu, t->waits);
}

static struct pool worst_pool(const struct scene *s)
{
	struct pool worst = { 0 }, now = { .pid = -1 };

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct scene_thread *t = &s->threads[i];

		if (t->pid != now.pid)
			now = (struct pool){ .pid = t->pid };
		if (t->is_pool) {
			now.threads++;
			now.idle = recorded_sum(now.idle, t->pool_idle);
			now.time = recorded_sum(now.time, recorded_sum(t->cpu, t->waits));
		} else if (!now.feeder || t->cpu > now.feeder->cpu) {
			now.feeder = t;
		}
		if (is_busy(now.feeder) && now.idle > worst.idle)
			worst = now;
	}
	return worst;
}

static size_t feeds(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const struct pool *pool = what;

	return scene_thread_of(s, stack) == pool->feeder ? spot_own(s, stack, 0) : SPOT_NOT_IN;
}

static size_t waits_for_work(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const struct scene_thread *t = scene_thread_of(s, stack);
	const struct pool *pool = what;

	return t->pid == pool->pid && t->is_pool && (scene_all_marks(s, stack) & MARK_POOL) &&
	       scene_has_no_work(s, stack) ? SPOT_NO_FRAME : SPOT_NOT_IN;
}

int rule_pool_starves(const struct scene *s, double least, struct finding *ret)
{
	const struct pool pool = worst_pool(s);
	int err;

	says_value(EVENT_OFFCPU, pool.idle, pool.time, ret);
	if (!says_enough(ret, least) || !says_long(s, ret, POOL_SECONDS, POOL_OF_TIME))
		return 0;
	err = spots_place(s, PROFILE_TIME, feeds, &pool, &ret->place);
	if (err)
		return err;
	says_text(ret,
		  "A pool's %d thread%s waited for work for %s, %.1f %% of their time, while thread "
		  "%lld computed",
		  pool.threads, pool.threads == 1 ? "" : "s", says_amount(ret, pool.idle).text,
		  100 * ret->share, pool.feeder->tid);
	if (*ret->place.name)
		says_text(ret, ", for %.1f %% of that in %s", 100 * ret->place.share,
			  spot_text(&ret->place).text);
	says_text(ret, ".");
	says_more_of_these(ret, "--by", "thread", NULL);
	return spots_select(s, EVENT_OFFCPU, waits_for_work, &pool) ?: 1;
}
