/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scene.h - a profile as the rules look at it: its kinds of events, what each frame is, and the time of each
 * thread, added up once.
 */
#ifndef PYPERF_FINDINGS_SCENE_H
#define PYPERF_FINDINGS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "findings/marks.h"
#include "profile/profile.h"
#include "recorded/recorded.h"

#define SCENE_COLUMNS (EVENT_KINDS + 1) /* enum event_kind, and PROFILE_TIME: CPU time in ns */

struct scene_thread {
	__s64 pid, tid;				  /* 0 = its samples do not say */
	__s64 cpu, samples;			  /* ns; 0 where only samples were counted */
	__s64 holds, holds_samples;		  /* of it with the GIL */
	__s64 waits, ready;			  /* off the CPU; without a free CPU */
	__s64 wants;				  /* the GIL */
	__s64 loop_cpu, loop_samples, loop_waits; /* in callbacks of an event loop */
	__s64 pool_idle;			  /* as a worker of a pool that has no work */
	__s64 grown, given_back; /* bytes; not what it leaves when it ends, where no Python runs any more */
	bool is_loop, is_pool;
};

struct scene {
	struct recorded *recorded;
	__u32 *marks;		   /* by place id - 1 */
	int column[SCENE_COLUMNS]; /* of a stack's values; -1: the profile is not of this kind */
	__s64 total[SCENE_COLUMNS];
	__s64 ns;	 /* that passed */
	__s64 not_whole; /* samples whose stacks have a marker */
	struct scene_thread *threads;
	size_t thread_count, thread_capacity;
	bool *takes; /* by stack id - 1: those that the rule at hand is about; NULL: nobody wants to know */
	__u32 keys[6], values[3]; /* strings: of labels, and what they are */
};

/* 0; -ENOMEM; -E2BIG. scene_free() it in each case. */
int scene_make(struct recorded *r, struct scene *ret);
void scene_free(struct scene *s);

static inline bool scene_has(const struct scene *s, int column)
{
	return s->column[column] >= 0;
}

static inline __s64 scene_value(const struct scene *s, const struct recorded_stack *stack, int column)
{
	return scene_has(s, column) ? stack->values[s->column[column]] : 0;
}

static inline __u32 scene_marks(const struct scene *s, const struct recorded_stack *stack, size_t i)
{
	return s->marks[stack->places[i] - 1];
}

/* Of all ticks: those whose stacks have a marker, such as [truncated]. */
double scene_not_whole(const struct scene *s);
/* The marks of all frames. */
__u32 scene_all_marks(const struct scene *s, const struct recorded_stack *stack);
/* The first frame at or behind `from` (leaf first) that has one of these marks; stack->n: none has. */
size_t scene_find(const struct scene *s, const struct recorded_stack *stack, size_t from, __u32 marks);
/* The last one; stack->n: none has. */
size_t scene_find_last(const struct scene *s, const struct recorded_stack *stack, __u32 marks);

/* Labels of the interpreter's state (bpf/states.def). */
/* Of a worker of a pool: it waits for work. */
bool scene_has_no_work(const struct scene *s, const struct recorded_stack *stack);

enum scene_state { STATE_HOLDS_GIL, STATE_HANDLES_EXCEPTION, STATE_COLLECTS };
bool scene_is(const struct scene *s, const struct recorded_stack *stack, enum scene_state state);
/* The thread that the stack is of. */
const struct scene_thread *scene_thread_of(const struct scene *s, const struct recorded_stack *stack);
#endif
