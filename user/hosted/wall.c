// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/wall.h"

#include "base/clock.h"
#include "hosted/looked.h"
#include "hosted/sample.h"

#define QUEUED_LEAST NS_PER_MS /* of waiting for a CPU is worth a stack of its own */

#define EIGHTHS_LEAST 4 /* of what is claimed, whatever has passed, ... */
#define EIGHTHS_MOST  16

static __u64 period;

void wall_open(__u64 period_ns)
{
	period = period_ns;
}

/* What there is, and from now on has been counted. */
static __u64 take_count(__s64 *ns)
{
	const __u64 has = *ns > 0 ? *ns : 0;

	*ns -= has;
	return has;
}

/* What a look gets that stands for so many. */
static __u64 claim(__s64 *ns, unsigned int weight)
{
	const __s64 usual = period * weight;
	__s64 eighths = 8 + (*ns - usual) / usual;

	eighths = eighths < EIGHTHS_LEAST ? EIGHTHS_LEAST : eighths > EIGHTHS_MOST ? EIGHTHS_MOST : eighths;
	*ns -= usual * eighths / 8;
	return usual * eighths / 8;
}

/* It sleeps where it did, and has done so since w->at. */
static bool sleeps_on(struct looked_thread *t, __u64 until)
{
	struct thread_wall *w = &t->wall;

	if (!w->at || until <= w->at)
		return true;
	if (t->has_cpu || !sample_asleep_again(&t->s, until - w->at))
		return false;
	w->at = until;
	return true;
}

void wall_was_quiet(struct looked_thread *t, __u64 until)
{
	if (until > t->wall.at)
		sleeps_on(t, until);
}

void wall_pass(struct looked_thread *t, const struct thread_runs *r, __u64 now)
{
	struct thread_wall *w = &t->wall;
	__s64 ran, queued;

	if (w->at) {
		ran = r->ns - w->until.ns;
		queued = r->queued - w->until.queued;
		w->queued += queued;
		w->asleep += (__s64)(now - w->at) - ran - queued;
	}
	w->at = now;
	w->until = *r;
}

void wall_rests(struct looked_thread *t, const struct thread_runs *r, __u64 now)
{
	const __s64 before = t->wall.asleep;
	int syscall;

	if (t->wall.at && sleeps_on(t, now))
		return;
	wall_pass(t, r, now);
	if (!thread_sleeps(&t->s.hold, t->s.pid, t->s.tid, r, &syscall))
		return;
	t->stateless = sample_asleep(&t->s, syscall, t->wall.asleep > before ? t->wall.asleep - before : 0);
	t->wall.asleep = before;
}

void wall_found_off(struct looked_thread *t, const struct thread_runs *r, unsigned int weight)
{
	int syscall;

	if (thread_sleeps(&t->s.hold, t->s.pid, t->s.tid, r, &syscall)) {
		t->stateless = sample_asleep(&t->s, syscall, claim(&t->wall.asleep, weight));
	} else if (t->wall.queued > (__s64)QUEUED_LEAST) {
		thread_waits(&t->s.hold, r);
		sample_queued(&t->s, take_count(&t->wall.queued));
	}
}

void wall_found_on(struct looked_thread *t)
{
	if (t->wall.queued > (__s64)QUEUED_LEAST)
		sample_queued(&t->s, take_count(&t->wall.queued));
}

void wall_end(struct looked_thread *t)
{
	sample_unseen(&t->s, take_count(&t->wall.asleep), take_count(&t->wall.queued));
}
