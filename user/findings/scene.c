// SPDX-License-Identifier: GPL-2.0-only
#include "findings/scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { KEY_PID, KEY_TID, KEY_GIL, KEY_EXCEPTION, KEY_GC };
enum { VALUE_HOLDS, VALUE_YES };

__u32 scene_all_marks(const struct scene *s, const struct recorded_stack *stack)
{
	__u32 all = 0;

	for (size_t i = 0; i < stack->n; i++)
		all |= scene_marks(s, stack, i);
	return all;
}

size_t scene_find(const struct scene *s, const struct recorded_stack *stack, size_t from, __u32 marks)
{
	while (from < stack->n && !(scene_marks(s, stack, from) & marks))
		from++;
	return from < stack->n ? from : stack->n;
}

size_t scene_find_last(const struct scene *s, const struct recorded_stack *stack, __u32 marks)
{
	for (size_t i = stack->n; i--;)
		if (scene_marks(s, stack, i) & marks)
			return i;
	return stack->n;
}

bool scene_is(const struct scene *s, const struct recorded_stack *stack, enum scene_state state)
{
	static const int keys[] = { [STATE_HOLDS_GIL] = KEY_GIL, [STATE_HANDLES_EXCEPTION] = KEY_EXCEPTION,
				    [STATE_COLLECTS] = KEY_GC };
	const struct recorded_label *l = recorded_find_label(stack, s->keys[keys[state]]);

	return l && l->text == s->values[state == STATE_HOLDS_GIL ? VALUE_HOLDS : VALUE_YES];
}

double scene_not_whole(const struct scene *s)
{
	const __s64 all = s->total[EVENT_CPU];

	return all > 0 ? (double)s->not_whole / (double)all : 0;
}

static int find_names(struct scene *s)
{
	static const char *const keys[] = { "pid", "tid", "gil", "exception", "gc" };
	static const char *const values[] = { "holds", "yes" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !err; i++)
		err = recorded_string(s->recorded, keys[i], strlen(keys[i]), &s->keys[i]);
	for (size_t i = 0; i < ARRAY_SIZE(values) && !err; i++)
		err = recorded_string(s->recorded, values[i], strlen(values[i]), &s->values[i]);
	return err;
}

static void find_columns(struct scene *s)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		s->column[kind] = recorded_find_type(s->recorded, event_rows[kind].type,
						     event_unit_name(event_rows[kind].unit));
	s->column[PROFILE_TIME] = recorded_find_type(s->recorded, event_rows[EVENT_CPU].period,
						     event_unit_name(UNIT_NANOSECONDS));
}

static void find_owner(const struct scene *s, const struct recorded_stack *stack, __s64 *ret_pid,
		       __s64 *ret_tid)
{
	const struct recorded_label *pid = recorded_find_label(stack, s->keys[KEY_PID]);
	const struct recorded_label *tid = recorded_find_label(stack, s->keys[KEY_TID]);

	*ret_pid = pid ? pid->number : 0;
	*ret_tid = tid ? tid->number : 0;
}

/* Where a thread stands in the sorted table, or would. */
static size_t find_thread(const struct scene *s, __s64 pid, __s64 tid)
{
	size_t low = 0, high = s->thread_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct scene_thread *t = &s->threads[middle];

		if (t->pid < pid || (t->pid == pid && t->tid < tid))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_thread(const struct scene *s, size_t at, __s64 pid, __s64 tid)
{
	return at < s->thread_count && s->threads[at].pid == pid && s->threads[at].tid == tid;
}

const struct scene_thread *scene_thread_of(const struct scene *s, const struct recorded_stack *stack)
{
	__s64 pid, tid;

	find_owner(s, stack, &pid, &tid);
	return &s->threads[find_thread(s, pid, tid)];
}

static int add_thread(struct scene *s, const struct recorded_stack *stack, struct scene_thread **ret)
{
	__s64 pid, tid;
	size_t at;

	find_owner(s, stack, &pid, &tid);
	at = find_thread(s, pid, tid);
	if (!is_thread(s, at, pid, tid)) {
		if (s->thread_count == s->thread_capacity) {
			const size_t capacity = s->thread_capacity ? s->thread_capacity * 2 : 16;
			struct scene_thread *more = reallocarray(s->threads, capacity, sizeof(*more));

			if (!more)
				return -ENOMEM;
			s->threads = more;
			s->thread_capacity = capacity;
		}
		memmove(&s->threads[at + 1], &s->threads[at], (s->thread_count - at) * sizeof(*s->threads));
		s->threads[at] = (struct scene_thread){ .pid = pid, .tid = tid };
		s->thread_count++;
	}
	*ret = &s->threads[at];
	return 0;
}

/* It has no frame of Python above that of the worker, or only those by which it gets its work. */
bool scene_has_no_work(const struct scene *s, const struct recorded_stack *stack)
{
	const size_t worker = scene_find(s, stack, 0, MARK_POOL);
	size_t i = worker;

	while (i-- > 0)
		if (scene_marks(s, stack, i) & MARK_PYTHON)
			return scene_marks(s, stack, i) & MARK_QUEUE;
	return true;
}

static void add_to_thread(struct scene *s, const struct recorded_stack *stack, struct scene_thread *t)
{
	const __u32 marks = scene_all_marks(s, stack);
	const __s64 cpu = scene_value(s, stack, PROFILE_TIME), samples = scene_value(s, stack, EVENT_CPU);
	const __s64 waits = scene_value(s, stack, EVENT_OFFCPU);
	const bool is_callback = (marks & MARK_LOOP) && (marks & MARK_CALLBACK);

	if (marks & MARK_MARKER)
		s->not_whole = recorded_sum(s->not_whole, samples);
	t->cpu = recorded_sum(t->cpu, cpu);
	t->samples = recorded_sum(t->samples, samples);
	t->waits = recorded_sum(t->waits, waits);
	t->grown = recorded_sum(t->grown, scene_value(s, stack, EVENT_MEMORY));
	if (marks & MARK_PYTHON)
		t->given_back = recorded_sum(t->given_back, scene_value(s, stack, EVENT_SHRINKAGE));
	t->wants = recorded_sum(t->wants, scene_value(s, stack, EVENT_GIL));
	t->ready = recorded_sum(t->ready, scene_value(s, stack, EVENT_RUNQUEUE));
	if (scene_is(s, stack, STATE_HOLDS_GIL)) {
		t->holds = recorded_sum(t->holds, cpu);
		t->holds_samples = recorded_sum(t->holds_samples, samples);
	}
	t->is_loop |= marks & MARK_LOOP;
	if (is_callback) {
		t->loop_cpu = recorded_sum(t->loop_cpu, cpu);
		t->loop_samples = recorded_sum(t->loop_samples, samples);
		t->loop_waits = recorded_sum(t->loop_waits, waits);
	}
	t->is_pool |= marks & MARK_POOL;
	if (marks & MARK_POOL && scene_has_no_work(s, stack))
		t->pool_idle = recorded_sum(t->pool_idle, waits);
}

static int add_up_threads(struct scene *s)
{
	for (__u32 id = 1; id <= recorded_stacks(s->recorded); id++) {
		const struct recorded_stack stack = recorded_get_stack(s->recorded, id);
		struct scene_thread *t;
		int err = add_thread(s, &stack, &t);

		if (err)
			return err;
		for (int i = 0; i < SCENE_COLUMNS; i++)
			s->total[i] = recorded_sum(s->total[i], scene_value(s, &stack, i));
		add_to_thread(s, &stack, t);
	}
	return 0;
}

int scene_make(struct recorded *r, struct scene *ret)
{
	*ret = (struct scene){ .recorded = r, .ns = r->duration_ns };
	find_columns(ret);
	return find_names(ret) ?: marks_make(r, &ret->marks) ?: add_up_threads(ret);
}

void scene_free(struct scene *s)
{
	free(s->marks);
	free(s->threads);
	s->marks = NULL;
	s->threads = NULL;
}
