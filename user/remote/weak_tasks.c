// SPDX-License-Identifier: GPL-2.0-only
#include "remote/weak_tasks.h"

#include <errno.h>

#include "python/asyncio_search.h"

#define ATTEMPTS 8 /* to read a list that does not change meanwhile */
#define LOOP	 OBJECT_FIRST /* PyRunningLoopHolder.rl_loop, Modules/_asynciomodule.c */
#define HOLDS_LOOP 0x030c0000 /* in 3.12 a thread's dict has the loop itself */

/* The loop that runs in a thread; 0 = none. */
static __u64 loop_of(struct task_reader *r, __u64 tstate)
{
	const struct task_facts *f = r->at.facts;
	struct objects *o = &r->objects;
	__u64 dict, found;

	if (f->tstate_loop)
		return objects_pointer(o, tstate + f->tstate_loop);
	dict = objects_pointer(o, tstate + f->tstate_dict);
	found = dict ? objects_dict_find(o, dict, "__asyncio_running_event_loop__") : 0;
	return found && r->layout->version < HOLDS_LOOP ? objects_pointer(o, found + LOOP) : found;
}

void weak_loops_read(struct weak_loops *loops, struct task_reader *r, const struct thread_states *states)
{
	loops->count = 0;
	for (size_t i = 0; i < states->count && loops->count < WEAK_LOOPS; i++) {
		const __u64 loop = loop_of(r, states->list[i].address);

		if (!loop)
			continue;
		loops->list[loops->count].loop = loop;
		loops->list[loops->count].tstate = states->list[i].address;
		loops->list[loops->count++].state = i;
	}
}

/* --- all tasks ------------------------------------------------------------------------------------------ */

struct listing {
	struct task_list *list;
	struct task_reader *r;
	const struct weak_loops *loops;
};

static int add_found_task(struct listing *l, __u64 task, __u64 type, __u64 *ret_number)
{
	int number;

	if (task_reader_kind(l->r, type) != READER_TASK)
		return l->r->objects.unreachable;
	number = task_list_add(l->list, task);
	if (number < 0)
		return number;
	l->list->found[number].listed = true;
	*ret_number = (__u64)number;
	return 0;
}

/* A reference whose task has ended is not taken out at once. */
static int add_referenced(void *listing, __u64 task, __u64 type)
{
	__u64 number;

	return add_found_task(listing, task, type, &number);
}

static int add_eager(void *listing, __u64 task, __u64 value)
{
	struct listing *l = listing;

	(void)value;
	return add_referenced(l, task, objects_pointer(&l->r->objects, task + OBJECT_TYPE));
}

/* An eager task is in no list before it waits for the first time. Till then it runs, and is found here. */
static int add_running_of_loop(void *listing, __u64 loop, __u64 task)
{
	struct listing *l = listing;
	__u64 number = ~0ULL;
	int err = add_found_task(l, task, objects_pointer(&l->r->objects, task + OBJECT_TYPE), &number);

	for (size_t i = 0; !err && number != ~0ULL && i < l->loops->count; i++)
		if (l->loops->list[i].loop == loop)
			l->list->found[number].running = l->loops->list[i].tstate;
	return err;
}

static int list_once(struct listing *l)
{
	const struct asyncio_found *f = &l->r->at.found;
	struct objects *o = &l->r->objects;
	int err = asyncio_search_weak(o, f->weak_tasks, add_referenced, l);

	if (!err && f->eager_tasks)
		err = objects_set_each(o, f->eager_tasks, add_eager, l);
	return err ?: objects_dict_each(o, f->current, add_running_of_loop, l);
}

int weak_tasks_list(struct task_list *list, struct task_reader *r, const struct weak_loops *loops)
{
	struct listing l = { list, r, loops };
	int err = -EAGAIN;

	for (int i = 0; i < ATTEMPTS && (err == -EAGAIN || err == -EFAULT || err == -EBADMSG); i++)
		err = list_once(&l);
	if (err == -EAGAIN || err == -E2BIG || err == -EFAULT || err == -EBADMSG) {
		list->more = true;
		return 0;
	}
	return err;
}

/* --- running -------------------------------------------------------------------------------------------- */

struct running {
	__u64 loop, task;
};

static int is_of_loop(void *running, __u64 loop, __u64 task)
{
	struct running *k = running;

	if (loop != k->loop)
		return 0;
	k->task = task;
	return 1;
}

int weak_tasks_running(struct task_reader *r, __u64 tstate, __u64 *ret_task)
{
	struct running k = { .loop = loop_of(r, tstate) };
	int err = k.loop ? objects_dict_each(&r->objects, r->at.found.current, is_of_loop, &k) : 0;

	if (err < 0)
		return err;
	if (k.task && task_reader_kind(r, objects_pointer(&r->objects, k.task + OBJECT_TYPE)) != READER_TASK)
		k.task = 0;
	*ret_task = k.task;
	return 0;
}
