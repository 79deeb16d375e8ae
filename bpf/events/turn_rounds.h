/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_rounds.h - turns in which the loop goes round without a pause. A loop that always has something to do
 * never sleeps, so what is seen of it is one turn without an end. But its stack tells what it has called: the
 * frame behind those with which it waits for events. Once that is another one, the loop has gone on. So a
 * call that is long is counted by itself, and what is none is saturation when it lasts for long.
 *
 * The address of a frame, and its code, do not tell two calls of one function apart. So requests of one
 * connection that are handled back to back can be taken for one call; those of several connections, whose
 * coroutines are different objects, cannot.
 */
#ifndef PYPERF_BPF_EVENTS_TURN_ROUNDS_H
#define PYPERF_BPF_EVENTS_TURN_ROUNDS_H

#include "bpf/events/turn_parts.h"

#define TURN_SATURATED 100000000  /* ns without a pause */
#define TURN_ENDLESS   1000000000 /* ns, after which a call that goes on is counted up to now */

/* Whether the call that was met last is long by itself. */
static __always_inline int call_is_long(const struct turn *t)
{
	return t->last - t->first >= opt_min_turn;
}

/* Counts the turn up to here. What comes is a part of it, too. */
static __always_inline void turn_count_until(struct cpu_stats *count, struct wait *w, struct turn *t,
					     __u64 until, enum wait_cause cause)
{
	const __u64 ns = until - t->begin;

	if ((__s64)ns <= 0)
		return;
	t->cause = cause;
	turn_count(count, w, t, ns);
	turn_restart(t, until);
}

/* The loop has gone on to another call, between t->last and now. */
static __always_inline void turn_changes(struct cpu_stats *count, struct wait *w, struct turn *t, __u64 now)
{
	const __u64 until = t->last + (now - t->last) / 2;

	t->changes++;
	if (call_is_long(t))
		turn_count_until(count, w, t, until, WAIT_TURN);
	else if (until - t->begin >= TURN_SATURATED)
		turn_count_until(count, w, t, until, WAIT_SATURATED);
	t->first = now;
}

/*
 * The thread of a turn was met, on a CPU or as it left one, with the stack that s->marks are of. Not 0 when
 * it is not in the loop any more. A global function, as turn_note().
 */
__noinline int turn_meets(struct scratch *s, struct cpu_stats *count, struct wait *w, struct turn *t,
			  __u64 now)
{
	if (!s || !count || !w || !t)
		return 0;
	if (s->marks.frames && t->depth) {
		if (t->caller && s->marks.caller != t->caller) {
			t->begin = 0;
			return 1;
		}
		if (t->last && s->marks.called != t->called)
			turn_changes(count, w, t, now);
		t->called = s->marks.called;
	}
	if (!t->last)
		t->first = now;
	t->last = now;
	if (now - t->begin >= TURN_ENDLESS && call_is_long(t) && (t->depth || !opt_loop_exact))
		turn_count_until(count, w, t, now, WAIT_TURN);
	return 0;
}

/* The turn is over, now that its thread waits for events. */
static __always_inline void turn_finish(struct cpu_stats *count, struct wait *w, struct turn *t, __u64 ns)
{
	const int saturated = !call_is_long(t) && (t->counted ? t->cause == WAIT_SATURATED :
						  t->changes && ns >= TURN_SATURATED);

	t->cause = saturated ? WAIT_SATURATED : WAIT_TURN;
	if (saturated || t->counted || ns >= opt_min_turn)
		turn_count(count, w, t, ns);
	else
		turn_short(count, ns);
}

/* What the stack says with which the loop waits for events. */
static __always_inline void turn_learn(const struct scratch *s, struct turn *t)
{
	if (!s->marks.frames)
		return;
	t->depth = s->marks.frames;
	t->caller = s->marks.caller;
}

#endif
