// SPDX-License-Identifier: GPL-2.0-only
#include "looks/task_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/loop.h"
#include "bpf/base/hash.h"
#include "guard/worker.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "kern/task_layouts.h"
#include "looks/task_stacks.h"
#include "python/layout.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define FOLLOW_NS    (200 * NS_PER_MS) /* between two comparisons with the registry */
#define EACH_NS	     (100 * NS_PER_MS) /* between two looks at one process, and up to */
#define JITTER_NS    (20 * NS_PER_MS)  /* ... so much more, so that no program keeps step with them */
#define REST	     21 /* times as long as a look took, before the next: a twentieth of a CPU in all */
#define TURN_NS	     (2 * NS_PER_MS) /* of counting in one turn */
#define IDENTIFY_NS  (20 * NS_PER_MS) /* that an answer about asyncio is taken to have cost, at most */
#define PAUSE_MIN_NS (200 * NS_PER_MS) /* before asyncio is looked for again, or after a failure; doubled */
#define PAUSE_MAX_NS (16 * NS_PER_SECOND)

struct task_process {
	__u32 id, pid;	  /* id: struct process.id */
	bool is_there;	  /* in the registry */
	__u64 start_time; /* ns since boot */
	__u64 asyncio;	  /* 0 = it is not known whether it has any */
	__u64 due;	  /* CLOCK_MONOTONIC, ns; ~0 = never: its version does not say where its tasks are */
	__u64 pause;
	__u64 looked;	  /* when the last look was; 0 = there was none */
	struct task_places places; /* at that look */
	UT_hash_handle hh;
};

struct task_targets {
	struct kernel *kernel;
	const struct registry *registry;
	struct questions *questions;
	struct captures *captures;
	struct task_process *processes; /* by their ids */
	bool told;		 /* that there are processes whose version is too old */
	__u64 next_follow, next_look; /* CLOCK_MONOTONIC, ns */
	__u64 asked;		 /* when; 0 = nothing is asked for */
	struct task_stacks stacks; /* of the last answer */
	__u64 cost_ns;		 /* CPU time for it so far */
};

int task_targets_new(struct task_targets **ret, struct kernel *kernel, const struct registry *registry,
		     struct questions *questions, struct captures *captures)
{
	struct task_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->registry = registry;
	t->questions = questions;
	t->captures = captures;
	*ret = t;
	return 0;
}

static void forget(struct task_targets *t, struct task_process *p)
{
	HASH_DEL(t->processes, p);
	task_places_free(&p->places);
	free(p);
}

void task_targets_free(struct task_targets *t)
{
	struct task_process *p, *next;
	struct task_places places;

	if (!t)
		return;
	questions_forget(t->questions, t);
	HASH_ITER(hh, t->processes, p, next)
		forget(t, p);
	task_stacks_end(&t->stacks, &places);
	task_places_free(&places);
	free(t);
}

static struct task_process *find(const struct task_targets *t, __u32 id)
{
	struct task_process *p;

	HASH_FIND(hh, t->processes, &id, sizeof(id), p);
	return p;
}

/* --- which processes there are ----------------------------------------------------------------------- */

static void add(struct task_targets *t, const struct registry_entry *e)
{
	struct task_process *p = calloc(1, sizeof(*p));

	if (!p)
		return;
	p->id = e->id;
	p->pid = e->pid;
	p->start_time = e->start_time;
	p->is_there = true;
	HASH_ADD(hh, t->processes, id, sizeof(p->id), p);
	if (!p->hh.tbl)
		free(p);
}

static int on_entry(void *targets, const struct registry_entry *e)
{
	struct task_targets *t = targets;
	struct task_process *p = find(t, e->id);

	if (p)
		p->is_there = !e->ended;
	else if (!e->ended && e->layout >= 0)
		add(t, e);
	return 0;
}

static void follow(struct task_targets *t, __u64 now)
{
	struct task_process *p, *next;

	t->next_follow = now + FOLLOW_NS;
	HASH_ITER(hh, t->processes, p, next)
		p->is_there = false;
	registry_each(t->registry, on_entry, t);
	HASH_ITER(hh, t->processes, p, next)
		if (!p->is_there)
			forget(t, p);
}

/* --- answers ----------------------------------------------------------------------------------------- */

static void rest(struct task_targets *t, __u64 cost_ns)
{
	t->next_look = clock_ns() + REST * cost_ns;
}

static void pause_for(struct task_process *p)
{
	p->pause = !p->pause ? PAUSE_MIN_NS : p->pause < PAUSE_MAX_NS / 2 ? 2 * p->pause : PAUSE_MAX_NS;
	p->due = clock_ns() + p->pause;
}

/* Whether the time of tasks is counted (--event tasks). */
static bool takes_stacks(const struct task_targets *t)
{
	return asleep_takes_tasks(kernel_asleep(t->kernel));
}

static bool is_wanted(const struct task_targets *t)
{
	return takes_stacks(t) || task_layouts_are_wanted(kernel_task_layouts(t->kernel));
}

/* With --async the kernel side reads them, too. */
static void tell_kernel(const struct task_targets *t, const struct task_process *p,
			const struct task_layout *l)
{
	struct task_layouts *layouts = kernel_task_layouts(t->kernel);
	const __u32 number = task_layouts_add(layouts, l);

	if (number)
		task_layouts_set(layouts, p->pid, p->id, number);
}

static void on_identity(void *targets, const void *id, struct worker_reply *r)
{
	struct task_targets *t = targets;
	struct task_process *p = find(t, *(const __u32 *)id);
	const __u64 took = clock_ns() - t->asked;

	rest(t, took < IDENTIFY_NS ? took : IDENTIFY_NS);
	t->asked = 0;
	if (!p)
		return;
	p->asyncio = r->error ? 0 : r->identity.asyncio;
	if (!p->asyncio) {
		pause_for(p);
		return;
	}
	tell_kernel(t, p, &r->identity.tasks);
	p->pause = 0;
	p->due = takes_stacks(t) ? 0 : ~0ULL;
}

/* The answer is of a moment between the question and now, whatever it says. */
static __u64 time_of(const struct task_targets *t, __u64 at)
{
	const __u64 now = clock_ns();

	return at < t->asked ? t->asked : at > now ? now : at;
}

static int take_answer(struct task_targets *t, struct task_process *p, struct worker_reply *r)
{
	const struct asleep of = { .pid = p->pid, .process = p->id };
	const struct task_waits *head = (const void *)r->table;
	const __u64 at = r->table_size < sizeof(*head) ? 0 : time_of(t, head->at_ns);
	int err = task_stacks_begin(&t->stacks, r->table, r->table_size, &of,
				    p->looked && at > p->looked ? at - p->looked : 0, &p->places);

	if (err)
		return err;
	r->table = NULL;
	t->cost_ns = t->stacks.head->cpu_ns;
	p->looked = at;
	p->pause = 0;
	p->due = at + EACH_NS + mix(at) % JITTER_NS;
	return 0;
}

static void on_look(void *targets, const void *id, struct worker_reply *r)
{
	struct task_targets *t = targets;
	struct task_process *p = find(t, *(const __u32 *)id);
	const __u64 took = clock_ns() - t->asked;
	int err = p ? r->error ?: take_answer(t, p, r) : -ESRCH;

	t->asked = 0;
	if (!err)
		return;
	rest(t, took);
	log_debug("tasks of pid %u cannot be looked at: %s", r->pid, strerror(-err));
	if (p)
		pause_for(p);
}

/* --- questions --------------------------------------------------------------------------------------- */

/* The process has a version that does not say where its tasks are. */
static void refuse(struct task_targets *t, struct task_process *p, __u32 version)
{
	struct outside_stack *g = kernel_asleep(t->kernel)->outside;

	p->due = ~0ULL;
	if (!t->told)
		log_warning("process %u is CPython %u.%u: %s needs 3.14 or later, and says nothing of this "
			    "process and others like it",
			    p->pid, version >> 24, version >> 16 & 255,
			    takes_stacks(t) ? "--event tasks" : "--async");
	t->told = true;
	if (!takes_stacks(t))
		return;
	g->looks = 0;
	g->none = 1;
	g->ns = 0;
	asleep_give_tasks(kernel_asleep(t->kernel));
}

static int ask(struct task_targets *t, struct task_process *p)
{
	const bool look = p->asyncio;
	const struct question q = { look ? on_look : on_identity, t, &p->id, sizeof(p->id), true };
	struct worker_request request;
	struct process process;
	int err = kernel_get_process(t->kernel, p->pid, &process);

	if (err || process.id != p->id || process.state != PROCESS_PYTHON)
		return err ?: -ESRCH;
	request = question_request(look ? WORKER_TASK_WAITS : WORKER_IDENTIFY, p->pid, p->start_time);
	err = kernel_get_layout(t->kernel, process.layout, &request.threads.layout);
	if (!err && !layout_has_tasks(&request.threads.layout)) {
		refuse(t, p, request.threads.layout.version);
		return 0;
	}
	request.threads.runtime = process.runtime;
	request.threads.asyncio = p->asyncio;
	err = err ?: questions_ask(t->questions, &q, &request);
	if (err)
		return err;
	t->asked = clock_ns();
	return 0;
}

/* The process that has been due for longest, or will be due first; NULL if there is none. */
static struct task_process *next_process(const struct task_targets *t)
{
	struct task_process *first = NULL;

	for (struct task_process *p = t->processes; p; p = p->hh.next)
		if (p->due != ~0ULL && (!first || p->due < first->due))
			first = p;
	return first;
}

static void look(struct task_targets *t, __u64 now)
{
	struct task_process *p = next_process(t);

	if (p && p->due <= now && ask(t, p))
		pause_for(p);
}

static void count_some(struct task_targets *t)
{
	const __u64 begin = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
	struct task_process *p = find(t, t->stacks.of.process);
	const bool done = task_stacks_turn(&t->stacks, kernel_asleep(t->kernel), t->captures,
					   clock_ns() + TURN_NS);
	struct task_places places;

	t->cost_ns += clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (!done)
		return;
	task_stacks_end(&t->stacks, &places);
	if (p)
		p->places = places;
	else
		task_places_free(&places);
	rest(t, t->cost_ns);
}

static void on_turn(void *task_targets, unsigned int ready)
{
	struct task_targets *t = task_targets;
	const __u64 now = clock_ns();

	(void)ready;
	if (!is_wanted(t))
		return;
	if (t->stacks.answer)
		count_some(t);
	else if (now >= t->next_follow)
		follow(t, now);
	else if (!t->asked && now >= t->next_look)
		look(t, now);
}

static int due_ms(void *task_targets)
{
	const struct task_targets *t = task_targets;
	const struct task_process *p;
	const __u64 now = clock_ns();
	__u64 due = t->next_follow;

	if (!is_wanted(t))
		return -1;
	if (t->stacks.answer)
		return 0;
	p = t->asked ? NULL : next_process(t);
	if (p && p->due < due)
		due = p->due > t->next_look ? p->due : t->next_look;
	if (due > t->next_follow)
		due = t->next_follow;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

int task_targets_watch(struct task_targets *t, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, due_ms, on_turn, t });
}
