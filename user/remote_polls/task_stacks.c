// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/task_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bpf/base/hash.h"
#include "kern/asleep.h"
#include "proc/procfs.h"
#include "symbols/captures.h"

#define AWAITERS_MAX 64	    /* tasks above each other in one stack; a cycle is found within them */
#define MARK	     (1U << 31) /* in seen_frame.code: it is the number of a frame that is no code object */
#define LOOK_EACH    32	    /* tasks, or stacks, between two looks at the clock */

struct task_place {
	__u64 address; /* 0 = free */
	__u64 hash;    /* of its coroutines and where each of them stands; 0 = it did not wait */
};

/* A stack that is being put together, from the leaf on. */
struct stack {
	__u32 depth, most;
	enum outcome outcome;
	__u32 met[AWAITERS_MAX]; /* numbers of tasks, */
	__u32 met_count;
	struct seen_frame frames[OUTSIDE_FRAMES];
};

/* --- where tasks waited ------------------------------------------------------------------------------ */

static size_t slots_for(size_t count)
{
	size_t slots = 2;

	while (slots < 2 * count)
		slots *= 2;
	return slots;
}

static struct task_place *place_of(const struct task_places *p, __u64 address)
{
	size_t i = mix(address) & (p->slot_count - 1);

	while (p->slots[i].address && p->slots[i].address != address)
		i = (i + 1) & (p->slot_count - 1);
	return &p->slots[i];
}

void task_places_free(struct task_places *p)
{
	free(p->slots);
	*p = (struct task_places){ 0 };
}

/* Code objects have other numbers in each look, so it is what they are that counts. */
static __u64 hash_frame(const struct task_stacks *s, __u64 hash, const struct seen_frame *f)
{
	if (f->code & MARK)
		return mix(hash ^ f->code);
	return mix(mix(hash ^ s->codes[f->code].address) ^ s->codes[f->code].fingerprint ^ f->instr);
}

static __u64 hash_of_task(const struct task_stacks *s, const struct task_wait *w)
{
	__u64 hash = w->count;

	if (w->state != TASK_WAITS)
		return 0;
	for (__u32 i = 0; i < w->count; i++)
		hash = hash_frame(s, hash, &s->frames[w->first + i]);
	return hash | 1;
}

/* Notes where the task waits. Whether it waited there at the look before. */
static bool note_place(struct task_stacks *s, const struct task_wait *w)
{
	const __u64 hash = hash_of_task(s, w);
	const struct task_place *before = s->before.slots ? place_of(&s->before, w->address) : NULL;

	if (w->address)
		*place_of(&s->now, w->address) = (struct task_place){ w->address, hash };
	return before && before->address && before->hash == hash;
}

/* --- the stack of a task ----------------------------------------------------------------------------- */

/* False: there is no room. */
static bool add_frame(struct stack *k, struct seen_frame f)
{
	if (k->depth == k->most) {
		k->outcome = OUTCOME_TRUNCATED;
		return false;
	}
	k->frames[k->depth++] = f;
	return true;
}

static bool add_mark(struct stack *k, enum wait_cause cause)
{
	return add_frame(k, (struct seen_frame){ .code = MARK | (CODE_WAITS + cause) });
}

/* The coroutines of one task. False: the stack ends with it. */
static bool add_task(const struct task_stacks *s, struct stack *k, const struct task_wait *w)
{
	if (w->cut || w->state == TASK_CHANGED || w->state == TASK_UNREAD)
		k->outcome = OUTCOME_INCOMPLETE;
	for (__u32 i = w->count; i-- > 0;)
		if (!add_frame(k, s->frames[w->first + i]))
			return false;
	return w->awaiter;
}

/* From a task to the one that awaits it. False: the stack ends here. */
static bool go_up(struct stack *k, const struct task_wait *w)
{
	if (w->others && !add_mark(k, WAIT_TASK_SHARED))
		return false;
	for (__u32 i = 0; i < k->met_count; i++)
		if (k->met[i] == w->awaiter - 1) {
			add_mark(k, WAIT_TASK_CYCLE);
			return false;
		}
	if (k->met_count < AWAITERS_MAX)
		return true;
	k->outcome = OUTCOME_TRUNCATED;
	return false;
}

static void put_together(const struct task_stacks *s, __u32 number, __u32 most, struct stack *k)
{
	const struct task_wait *w = &s->tasks[number];

	k->depth = k->met_count = 0;
	k->most = most < OUTSIDE_FRAMES ? most : OUTSIDE_FRAMES;
	k->outcome = OUTCOME_WHOLE;
	for (;; w = &s->tasks[number]) {
		k->met[k->met_count++] = number;
		if (!add_task(s, k, w) || !go_up(k, w))
			break;
		number = w->awaiter - 1;
	}
	if (!k->depth)
		k->outcome = OUTCOME_NO_FRAMES;
}

/* --- tasks with the same stack ----------------------------------------------------------------------- */

static void add_to_group(struct task_stacks *s, __u32 number, enum outcome outcome, __u64 hash)
{
	size_t i;

	hash = mix(mix(hash ^ (__u32)s->tasks[number].tid) + outcome) | 1;
	i = hash & (s->group_slots - 1);
	while (s->groups[i].hash && s->groups[i].hash != hash)
		i = (i + 1) & (s->group_slots - 1);
	if (!s->groups[i].hash)
		s->groups[i] = (struct task_group){ .hash = hash, .task = number, .outcome = outcome };
	s->groups[i].ns += s->ns;
}

static enum outcome outcome_of_state(__u32 state)
{
	return state == TASK_RUNS || state == TASK_NOT_BEGUN ? OUTCOME_TASK_RUNS : OUTCOME_TASK_UNREAD;
}

static void count_task(struct task_stacks *s, const struct asleep_programs *programs, __u32 number,
		       struct stack *k)
{
	const struct task_wait *w = &s->tasks[number];
	const bool same = note_place(s, w);
	__u64 hash = 0;

	if (!s->ns || w->state == TASK_ENDED || w->state == TASK_FUTURE ||
	    (programs->main_only && (__u32)w->tid != s->of.pid))
		return;
	if (w->state != TASK_WAITS) {
		add_to_group(s, number, outcome_of_state(w->state), 0);
		return;
	}
	put_together(s, number, programs->max_depth, k);
	for (__u32 i = 0; i < k->depth; i++)
		hash = hash_frame(s, hash, &k->frames[i]);
	add_to_group(s, number, k->outcome == OUTCOME_WHOLE && !same ? OUTCOME_TASK_MOVED : k->outcome, hash);
}

/* --- to the kernel side ------------------------------------------------------------------------------ */

/* The root has the name of the thread, or that of the process when there are no roots by thread. */
static void set_name(struct task_stacks *s, const struct asleep_programs *programs, pid_t tid)
{
	const __u32 named = programs->by_thread && tid ? (__u32)tid : s->of.pid;
	struct procfs_stat stat;

	s->of.tid = tid;
	if (s->named_tid == named)
		return;
	s->named_tid = named;
	s->of.start_time = 0;
	memset(s->of.comm, 0, sizeof(s->of.comm));
	if (procfs_stat((pid_t)named, &stat))
		return;
	s->of.start_time = clock_ns_of_ticks(stat.start_ticks);
	memcpy(s->of.comm, stat.name, sizeof(s->of.comm) - 1);
}

static void fill_frames(const struct task_stacks *s, const struct stack *k, struct outside_stack *g)
{
	g->depth = k->depth;
	for (__u32 i = 0; i < k->depth; i++) {
		const struct seen_frame *f = &k->frames[k->depth - 1 - i];
		const struct seen_code *c = &s->codes[f->code & MARK ? 0 : f->code];

		g->frames[i] = f->code & MARK ?
				       (struct outside_frame){ .mark = f->code & ~MARK } :
				       (struct outside_frame){ .address = c->address,
							       .fingerprint = c->fingerprint,
							       .instr = f->instr };
	}
}

static void give_stack(struct task_stacks *s, const struct asleep_programs *programs,
		       struct captures *captures, const struct task_group *group, struct stack *k)
{
	struct outside_stack *g = programs->outside;

	set_name(s, programs, s->tasks[group->task].tid);
	k->depth = 0;
	if (s->tasks[group->task].state == TASK_WAITS)
		put_together(s, group->task, programs->max_depth, k);
	fill_frames(s, k, g);
	g->asleep = s->of;
	g->outcome = group->outcome;
	g->looks = g->none = 0;
	g->ns = group->ns;
	if (asleep_give_tasks(programs))
		return;
	for (__u32 i = 0; i < g->depth; i++)
		if (g->frames[i].address && g->frames[i].unnamed)
			captures_given(captures, &s->of, &s->codes[k->frames[k->depth - 1 - i].code],
				       g->frames[i].code);
}

static void count_look(const struct asleep_programs *programs)
{
	programs->outside->looks = 1;
	programs->outside->none = 0;
	programs->outside->ns = 0;
	asleep_give_tasks(programs);
}

/* --- all of it --------------------------------------------------------------------------------------- */

int task_stacks_begin(struct task_stacks *s, __u8 *answer, size_t size, const struct asleep *of, __u64 ns,
		      struct task_places *before)
{
	struct task_stacks n = { .of = *of, .ns = ns };
	int err = task_waits_parse(answer, size, &n.head, &n.tasks, &n.codes, &n.frames);

	if (err)
		return err;
	n.now.slot_count = n.group_slots = slots_for(n.head->tasks);
	n.now.slots = calloc(n.now.slot_count, sizeof(*n.now.slots));
	n.groups = calloc(n.group_slots, sizeof(*n.groups));
	if (!n.now.slots || !n.groups) {
		free(n.now.slots);
		free(n.groups);
		return -ENOMEM;
	}
	n.answer = answer;
	n.before = *before;
	*before = (struct task_places){ 0 };
	*s = n;
	return 0;
}

bool task_stacks_turn(struct task_stacks *s, const struct asleep_programs *programs,
		      struct captures *captures, __u64 end)
{
	static struct stack stack; /* too large for the C stack */

	for (__u32 i = 1; s->next_task < s->head->tasks; i++) {
		count_task(s, programs, s->next_task++, &stack);
		if (i % LOOK_EACH == 0 && clock_ns() >= end)
			return false;
	}
	for (; s->next_group < s->group_slots; s->next_group++) {
		if (!s->groups[s->next_group].hash)
			continue;
		if (clock_ns() >= end)
			return false;
		give_stack(s, programs, captures, &s->groups[s->next_group], &stack);
	}
	count_look(programs);
	return true;
}

void task_stacks_end(struct task_stacks *s, struct task_places *ret_places)
{
	*ret_places = s->now;
	free(s->before.slots);
	free(s->groups);
	free(s->answer);
	*s = (struct task_stacks){ 0 };
}
