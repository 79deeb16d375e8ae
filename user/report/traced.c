// SPDX-License-Identifier: GPL-2.0-only
#include "report/traced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/frames.h"
#include "recorded/interned.h"
#include "recorded/own_frames.h"
#include "report/table.h"

/* Strings of recorded; 0 = no label has such a key. */
struct trace_keys {
	__u32 pid, tid, comm, thread, trace_id;
};

struct trace_maker {
	struct traced *t;
	struct trace_keys keys;
	int cpu, samples; /* the types of CPU time and of ticks; -1 = there is none */
};

static __u32 find_key(const struct recorded *r, const char *name)
{
	return interned_find(&r->strings, name, strlen(name));
}

static struct trace_keys find_keys(const struct recorded *r)
{
	return (struct trace_keys){
		.pid = find_key(r, "pid"),
		.tid = find_key(r, "tid"),
		.comm = find_key(r, "comm"),
		.thread = find_key(r, "thread"),
		.trace_id = find_key(r, "trace_id"),
	};
}

/* --- moments as stretches ------------------------------------------------------------------------------- */

static __s64 number_of(const struct recorded_stack *s, __u32 key)
{
	const struct recorded_label *l = recorded_find_label(s, key);

	return l ? l->number : 0;
}

static __u32 traced_text_of(const struct recorded_stack *s, __u32 key)
{
	const struct recorded_label *l = recorded_find_label(s, key);

	return l ? l->text : 0;
}

static int compare(__s64 x, __s64 y)
{
	return (x > y) - (x < y);
}

/* Ticks are counted as samples as well; those say the same. */
static bool is_wanted(const struct trace_maker *m, const struct recorded_moment *one)
{
	return one->value > 0 && !(m->cpu >= 0 && (int)one->type == m->samples);
}

/* A tick stands for the time to the next one, a wait for what it has counted. */
static __s64 end_of(const struct trace_maker *m, const struct recorded_moment *one)
{
	const struct recorded *r = m->t->recorded;
	const bool is_time = !strcmp(recorded_get_string(r, r->types[one->type].unit), "nanoseconds");

	return is_time ? recorded_sum(one->begin, one->value) : one->begin;
}

static struct traced_thread thread_of(const struct trace_maker *m, __u32 stack)
{
	const struct recorded_stack s = recorded_get_stack(m->t->recorded, stack);

	return (struct traced_thread){
		.pid = number_of(&s, m->keys.pid),
		.tid = number_of(&s, m->keys.tid),
		.comm = traced_text_of(&s, m->keys.comm),
		.name = traced_text_of(&s, m->keys.thread),
	};
}

static int compare_texts(const struct recorded *r, __u32 a, __u32 b)
{
	return a == b ? 0 : strcmp(recorded_get_string(r, a), recorded_get_string(r, b));
}

/* One that got another name meanwhile is two. */
static int compare_threads(const struct recorded *r, const struct traced_thread *a,
			   const struct traced_thread *b)
{
	return compare(a->pid, b->pid) ?: compare(a->tid, b->tid) ?: compare_texts(r, a->comm, b->comm) ?:
	       compare_texts(r, a->name, b->name);
}

static int by_time(const void *a, const void *b, void *maker)
{
	const struct trace_maker *m = maker;
	const struct traced_stretch *x = a, *y = b;
	int order = 0;

	if (x->stack != y->stack) {
		const struct traced_thread of_x = thread_of(m, x->stack), of_y = thread_of(m, y->stack);

		order = compare_threads(m->t->recorded, &of_x, &of_y);
	}
	return order ?: compare(x->begin, y->begin) ?: compare(x->end, y->end) ?: compare(x->type, y->type) ?:
	       compare(x->stack, y->stack);
}

static int take_moments(struct trace_maker *m)
{
	const struct recorded_moment *all = (const struct recorded_moment *)m->t->recorded->moments.data;
	const size_t n = m->t->recorded->moments.size / sizeof(*all);
	struct traced *t = m->t;

	t->stretches = calloc(n + 1, sizeof(*t->stretches));
	t->threads = calloc(n + 1, sizeof(*t->threads));
	if (!t->stretches || !t->threads)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (is_wanted(m, &all[i]))
			t->stretches[t->stretch_count++] = (struct traced_stretch){
				.begin = all[i].begin,
				.end = end_of(m, &all[i]),
				.amount = all[i].value,
				.type = all[i].type,
				.stack = all[i].stack,
				.count = 1,
			};
	qsort_r(t->stretches, t->stretch_count, sizeof(*t->stretches), by_time, m);
	return 0;
}

/* Whether the second one goes on with what the first one was; ticks come up to half a period late. */
static bool goes_on(const struct trace_maker *m, const struct traced_stretch *a,
		    const struct traced_stretch *b)
{
	const __s64 late = m->cpu == (int)b->type ? b->amount / 2 : 0;

	return a->type == b->type && b->begin <= recorded_sum(a->end, late) &&
	       traced_place(m->t, a) == traced_place(m->t, b) &&
	       traced_inner(m->t, a) == traced_inner(m->t, b) && traced_span(m->t, a) == traced_span(m->t, b);
}

/* What a thread did is in the order of time now: equal neighbours become one. */
static void join(struct trace_maker *m)
{
	struct traced *t = m->t;
	struct traced_thread *thread = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->stretch_count; i++) {
		struct traced_stretch *last = n ? &t->stretches[n - 1] : NULL, s = t->stretches[i];
		const struct traced_thread own = thread_of(m, s.stack);
		const bool is_new = !thread || compare_threads(t->recorded, thread, &own);

		if (!is_new && goes_on(m, last, &s)) {
			last->end = s.end > last->end ? s.end : last->end;
			last->amount = recorded_sum(last->amount, s.amount);
			last->count++;
		} else {
			if (is_new) {
				thread = &t->threads[t->thread_count++];
				*thread = own;
				thread->first = n;
				thread->begin = s.begin;
			}
			s.thread = t->thread_count - 1;
			t->stretches[n++] = s;
			thread->count++;
		}
		thread->end = s.end > thread->end ? s.end : thread->end;
	}
	t->stretch_count = n;
}

static void find_time(struct traced *t)
{
	for (size_t i = 0; i < t->thread_count; i++) {
		const struct traced_thread *thread = &t->threads[i];

		t->begin = !t->begin || thread->begin < t->begin ? thread->begin : t->begin;
		t->end = thread->end > t->end ? thread->end : t->end;
	}
}

/* --- which are shown ------------------------------------------------------------------------------------ */

static int by_length(const void *a, const void *b, void *traced)
{
	const struct traced *t = traced;
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;
	const struct traced_stretch *s = &t->stretches[x], *o = &t->stretches[y];

	return compare(s->thread, o->thread) ?: compare(o->end - o->begin, s->end - s->begin) ?:
	       compare(x, y);
}

static int choose_stretches(struct traced *t, size_t top)
{
	__u32 *order = calloc(t->stretch_count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->stretch_count; i++)
		order[i] = i;
	qsort_r(order, t->stretch_count, sizeof(*order), by_length, t);
	for (size_t i = 0; i < t->stretch_count; i++) {
		struct traced_stretch *s = &t->stretches[order[i]];

		s->is_shown = i - t->threads[s->thread].first < top;
		t->left_out += !s->is_shown;
	}
	free(order);
	return 0;
}

/* --- all of it ------------------------------------------------------------------------------------------ */

/* Of all that is there, also of other traces. */
static int count_ids(struct trace_maker *m, size_t type)
{
	const struct recorded *r = m->t->recorded;
	const __u32 trace = find_key(r, m->t->trace);
	_cleanup_(interned_free) struct interned spans = { 0 }, traces = { 0 };
	struct traced *t = m->t;
	int err = 0;

	for (__u32 id = 1; id <= recorded_stacks(r) && !err; id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);
		const __u32 span = traced_text_of(&s, t->span_key),
			    own = traced_text_of(&s, m->keys.trace_id);
		__u32 ignored;

		t->all = recorded_sum(t->all, s.values[type]);
		if (!own)
			t->without = recorded_sum(t->without, s.values[type]);
		else
			err = interned_add(&traces, &own, sizeof(own), &ignored);
		if (!err && own && own == trace)
			err = interned_add(&spans, &span, sizeof(span), &ignored);
	}
	t->spans = spans.count;
	t->traces = traces.count;
	return err;
}

int traced_make(const struct report_selection *c, const char *trace, size_t top, struct traced *ret)
{
	struct trace_maker m = {
		.t = ret,
		.keys = find_keys(c->recorded),
		.cpu = recorded_find_type(c->recorded, "cpu", "nanoseconds"),
		.samples = recorded_find_type(c->recorded, "samples", "count"),
	};
	int err;

	*ret = (struct traced){
		.recorded = c->recorded,
		.trace = trace,
		.span_key = find_key(c->recorded, "span_id"),
	};
	err = take_moments(&m);
	if (err)
		return err;
	join(&m);
	find_time(ret);
	return choose_stretches(ret, top) ?: count_ids(&m, c->type);
}

void traced_free(struct traced *t)
{
	free(t->stretches);
	free(t->threads);
	*t = (struct traced){ 0 };
}

/* Of a wait for the GIL the frames of who had it are above this one; 0: there are none. */
static size_t find_holder(const struct recorded *r, const struct recorded_stack *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct recorded_place *p = recorded_get_place(r, s->places[i]);

		if (frame_tells_holder(p->kind,
				       recorded_get_string(r, recorded_get_function(r, p->function)->name)))
			return i;
	}
	return 0;
}

/* The first frame from there on that is no native code; where there is none, the first. */
static size_t own_from(const struct recorded *r, const struct recorded_stack *s, size_t from)
{
	const struct recorded_stack rest = { .places = s->places + from, .n = s->n - from };

	return from + own_frames_function(r, &rest);
}

__u32 traced_place(const struct traced *t, const struct traced_stretch *s)
{
	const struct recorded_stack stack = recorded_get_stack(t->recorded, s->stack);

	return stack.n ? stack.places[own_from(t->recorded, &stack, find_holder(t->recorded, &stack))] : 0;
}

__u32 traced_inner(const struct traced *t, const struct traced_stretch *s)
{
	const struct recorded *r = t->recorded;
	const struct recorded_stack stack = recorded_get_stack(r, s->stack);
	const size_t held = find_holder(r, &stack);

	if (!stack.n || !own_from(r, &stack, held))
		return 0;
	return stack.places[held ? own_frames_function(r, &stack) : 0];
}

bool traced_is_held(const struct traced *t, const struct traced_stretch *s)
{
	const struct recorded_stack stack = recorded_get_stack(t->recorded, s->stack);

	return find_holder(t->recorded, &stack);
}

__u32 traced_span(const struct traced *t, const struct traced_stretch *s)
{
	const struct recorded_stack stack = recorded_get_stack(t->recorded, s->stack);

	return traced_text_of(&stack, t->span_key);
}
