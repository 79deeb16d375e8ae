// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_loop.c - something keeps an event loop from its other tasks: a wait in one of its callbacks, or a line
 * that computes for long.
 */
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/spots.h"
#include "report/amount.h"

#define LOOP_SECONDS 0.2 /* less is nobody's trouble */
#define LOOP_OF_TIME 0.02
#define LINE_OF_LOOP 0.50 /* of what its callbacks took: less, and no line alone keeps it */

/* Of stacks of this thread: a frame of a callback. */
static size_t in_callback(const struct scene *s, const struct recorded_stack *stack, size_t frame,
			  const struct scene_thread *t)
{
	const size_t callback = scene_find_last(s, stack, MARK_CALLBACK);

	if (callback == stack->n || !(scene_all_marks(s, stack) & MARK_LOOP) ||
	    scene_thread_of(s, stack) != t)
		return SPOT_NOT_IN;
	return frame < callback ? frame : SPOT_NO_FRAME;
}

static size_t waits(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	return in_callback(s, stack, spot_own(s, stack, 0), what);
}

/* Not the newest line of the program: what a library does in turns is not this line's fault. */
static size_t runs(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	return in_callback(s, stack, scene_find(s, stack, 0, MARK_PYTHON), what);
}

/* Of a thread: what it did, but for when it could have run and had no CPU, which is nobody's fault here. */
static __s64 own_time(const struct scene *s, const struct scene_thread *t)
{
	return scene_has(s, EVENT_OFFCPU) ? recorded_sum(t->cpu, t->waits) : s->ns;
}

int rule_loop_waits(const struct scene *s, double least, struct finding *ret)
{
	const struct scene_thread *worst = NULL;
	int err;

	for (size_t i = 0; i < s->thread_count; i++)
		if (s->threads[i].is_loop && (!worst || s->threads[i].loop_waits > worst->loop_waits))
			worst = &s->threads[i];
	if (!worst)
		return 0;
	says_value(EVENT_OFFCPU, worst->loop_waits, own_time(s, worst), ret);
	if (!says_enough(ret, least) || !says_long(s, ret, LOOP_SECONDS, LOOP_OF_TIME))
		return 0;
	err = spots_place(s, EVENT_OFFCPU, waits, worst, &ret->place);
	if (err)
		return err;
	says_text(ret, "Callbacks of the event loop of thread %lld waited for %s, %.1f %% of its time, "
		  "in which no other task could run", worst->tid,
		  says_amount(ret, ret->value).text, 100 * ret->share);
	spots_say(ret, "in");
	says_more_of_these(ret, "--by", "line", NULL);
	return 1;
}

int rule_loop_busy(const struct scene *s, double least, struct finding *ret)
{
	const struct scene_thread *worst = NULL;
	int err;

	for (size_t i = 0; i < s->thread_count; i++)
		if (s->threads[i].is_loop && (!worst || s->threads[i].loop_cpu > worst->loop_cpu))
			worst = &s->threads[i];
	if (!worst)
		return 0;
	says_value(PROFILE_TIME, worst->loop_cpu, own_time(s, worst), ret);
	says_samples_of_time(ret, worst->loop_samples);
	if (!says_enough(ret, least) || !says_long(s, ret, LOOP_SECONDS, LOOP_OF_TIME))
		return 0;
	err = spots_place(s, PROFILE_TIME, runs, worst, &ret->place);
	if (err)
		return err;
	if (ret->place.share < LINE_OF_LOOP)
		return 0;
	says_text(ret, "The event loop of thread %lld ran callbacks for %s, %.0f %% of its time; %.1f %% of "
		  "that is one line, %s, and meanwhile no other task runs.", worst->tid,
		  says_amount(ret, ret->value).text, 100 * ret->share, 100 * ret->place.share,
		  spot_text(&ret->place).text);
	says_more_of_these(ret, "--by", "line", NULL);
	return 1;
}
