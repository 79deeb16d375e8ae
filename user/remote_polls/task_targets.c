// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/task_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "bpf/base/hash.h"
#include "guard/worker.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "kern/task_layouts.h"
#include "python/layout.h"
#include "remote_polls/follow.h"
#include "remote_polls/task_stacks.h"
#include "targets/questions.h"

#define EACH_NS	     (100 * NS_PER_MS) /* between two looks at one process, and up to */
#define JITTER_NS    (20 * NS_PER_MS)  /* ... so much more, so that no program keeps step with them */
#define REST	     21 /* times as long as a look took, before the next: a twentieth of a CPU in all */
#define TURN_NS	     (2 * NS_PER_MS) /* of counting in one turn */
#define IDENTIFY_NS  (20 * NS_PER_MS) /* that an answer about asyncio is taken to have cost, at most */

#define STRANGE_MAX  3 /* looks, one after the other, that find objects as in no known build */

/* Before asyncio is looked for again, or after a failure. */
static const struct follow_pauses pauses = { 200 * NS_PER_MS, 16 * NS_PER_SECOND, 1 };

struct task_process {
	struct followed followed;  /* never due: its version does not say where its tasks are */
	__u64 asyncio;		   /* 0 = it is not known whether it has any */
	__u64 looked;		   /* when the last look was; 0 = there was none */
	__u32 strange;		   /* the last so many looks found objects as in no known build */
	struct task_places places; /* at that look */
};

struct task_targets {
	struct kernel *kernel;
	struct questions *questions;
	struct captures *captures;
	struct follow follow;	   /* of struct task_process */
	bool told;		   /* that there are processes whose version is too old */
	__u64 asked;		   /* when; CLOCK_MONOTONIC, ns; 0 = nothing is asked for */
	struct task_stacks stacks; /* of the last answer */
	__u64 cost_ns;		   /* CPU time for it so far */
};

static void release(struct followed *p)
{
	task_places_free(&((struct task_process *)p)->places);
}

int task_targets_new(struct task_targets **ret, struct kernel *kernel, const struct registry *registry,
		     struct questions *questions, struct captures *captures)
{
	struct task_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->questions = questions;
	t->captures = captures;
	t->follow = (struct follow){ .registry = registry, .size = sizeof(struct task_process),
				     .release = release };
	*ret = t;
	return 0;
}

void task_targets_free(struct task_targets *t)
{
	struct task_places places;

	if (!t)
		return;
	questions_forget(t->questions, t);
	follow_end(&t->follow);
	task_stacks_end(&t->stacks, &places);
	task_places_free(&places);
	free(t);
}

static struct task_process *find_process(const struct task_targets *t, __u32 id)
{
	return (struct task_process *)follow_find(&t->follow, id);
}

/* --- answers ----------------------------------------------------------------------------------------- */

/* Whether the time of tasks is counted (--event tasks). */
static bool takes_stacks(const struct task_targets *t)
{
	return asleep_takes_tasks(kernel_asleep(t->kernel));
}

static bool wants_tasks(const struct task_targets *t)
{
	return takes_stacks(t) || task_layouts_are_wanted(kernel_task_layouts(t->kernel));
}

/* With --async the kernel side reads them, too. Whether it knows now, or is not to: there may be no room. */
static bool tell_kernel(const struct task_targets *t, const struct task_process *p,
			const struct task_layout *l)
{
	struct task_layouts *layouts = kernel_task_layouts(t->kernel);
	struct process process;
	__u32 number;

	if (!task_layouts_are_wanted(layouts) ||
	    kernel_get_image(t->kernel, p->followed.pid, p->followed.id, &process))
		return true;
	number = task_layouts_add(layouts, l, process.user);
	if (number)
		task_layouts_set(layouts, p->followed.pid, p->followed.id, number);
	return number;
}

/* The module is there, as while it is being imported, and no task yet that proves where tasks are. */
static bool is_too_early(const struct task_targets *t, const struct identity *i)
{
	return task_layouts_are_wanted(kernel_task_layouts(t->kernel)) && !i->tasks.task_size;
}

static void on_identity(void *targets, const void *id, struct worker_reply *r)
{
	struct task_targets *t = targets;
	struct task_process *p = find_process(t, *(const __u32 *)id);
	const __u64 cost = worker_reply_cost(r, clock_ns() - t->asked);

	follow_rest(&t->follow, REST * (cost < IDENTIFY_NS ? cost : IDENTIFY_NS));
	t->asked = 0;
	if (!p)
		return;
	p->asyncio = r->error ? 0 : r->identity.asyncio;
	log_debug("asyncio of pid %u: %s", r->pid,
		  r->error ? strerror(-r->error) : p->asyncio ? "it is there" : "there is none");
	if (!p->asyncio || is_too_early(t, &r->identity)) {
		p->asyncio = 0;
		follow_pause(&p->followed, &pauses);
		return;
	}
	if (!tell_kernel(t, p, &r->identity.tasks) && !takes_stacks(t)) {
		p->asyncio = 0;
		follow_pause(&p->followed, &pauses);
		return;
	}
	p->followed.pause = 0;
	p->followed.due = takes_stacks(t) ? clock_ns() : FOLLOW_NEVER;
}

/* The answer is of a moment between the question and now, whatever it says. */
static __u64 time_of(const struct task_targets *t, __u64 at)
{
	const __u64 now = clock_ns();

	return at < t->asked ? t->asked : at > now ? now : at;
}

static int take_tasks(struct task_targets *t, struct task_process *p, struct worker_reply *r)
{
	const struct asleep of = { .pid = p->followed.pid, .process = p->followed.id };
	const struct task_waits *head = (const void *)r->table;
	const __u64 at = r->table_size < sizeof(*head) ? 0 : time_of(t, head->at_ns);
	struct process process;
	/* What it has executed since may be what was looked at. */
	int err = kernel_get_image(t->kernel, of.pid, of.process, &process) ?:
		  task_stacks_begin(&t->stacks, r->table, r->table_size, &of,
				    p->looked && at > p->looked ? at - p->looked : 0, &p->places);

	if (err)
		return err;
	r->table = NULL;
	p->looked = at;
	p->strange = 0;
	p->followed.pause = 0;
	p->followed.due = at + EACH_NS + mix(at) % JITTER_NS;
	return 0;
}

/* Nothing is said of this process. */
static void give_up_on(struct task_targets *t, struct task_process *p)
{
	struct outside_stack *g = kernel_asleep(t->kernel)->outside;

	p->followed.due = FOLLOW_NEVER;
	t->told = true;
	if (!takes_stacks(t))
		return;
	g->looks = 0;
	g->none = 1;
	g->ns = 0;
	asleep_give_tasks(kernel_asleep(t->kernel));
}

/* The process has a version of which tasks cannot be read. */
static void refuse_version(struct task_targets *t, struct task_process *p, __u32 version)
{
	if (!t->told)
		log_warning("process %u is CPython %u.%u: %s needs 3.8 or later, and says nothing of this "
			    "process and others like it",
			    p->followed.pid, version >> 24, version >> 16 & 255,
			    takes_stacks(t) ? "--event tasks" : "--async");
	give_up_on(t, p);
}

/*
 * Its objects are not as in the builds of its version that are known. It may be that it was changing them
 * just then: so a few looks have found that, with a pause before each.
 */
static void refuse_build(struct task_targets *t, struct task_process *p)
{
	if (!t->told)
		log_warning("process %u: asyncio's tasks are not where known builds have them; "
			    "nothing is said of this process and others like it",
			    p->followed.pid);
	give_up_on(t, p);
}

static void on_look(void *targets, const void *id, struct worker_reply *r)
{
	struct task_targets *t = targets;
	struct task_process *p = find_process(t, *(const __u32 *)id);
	int err;

	t->cost_ns = worker_reply_cost(r, clock_ns() - t->asked);
	err = p ? r->error ?: take_tasks(t, p, r) : -ESRCH;

	t->asked = 0;
	if (!err)
		return;
	follow_rest(&t->follow, REST * t->cost_ns);
	log_debug("tasks of pid %u cannot be looked at: %s", r->pid, strerror(-err));
	if (p && err == -EPROTO && ++p->strange >= STRANGE_MAX)
		refuse_build(t, p);
	else if (p)
		follow_pause(&p->followed, &pauses);
}

/* --- questions --------------------------------------------------------------------------------------- */

static int ask_tasks(struct task_targets *t, struct task_process *p)
{
	const struct followed *f = &p->followed;
	const bool look = p->asyncio;
	const struct question q = { look ? on_look : on_identity, t, &f->id, sizeof(f->id), true };
	struct worker_request request;
	struct process process;
	struct layout layout;
	int err = kernel_get_image(t->kernel, f->pid, f->id, &process);

	if (err || process.state != PROCESS_PYTHON)
		return err ?: -ESRCH;
	err = kernel_get_layout(t->kernel, process.layout, &layout);
	if (!err && !layout_has_tasks(&layout)) {
		refuse_version(t, p, layout.version);
		return 0;
	}
	request = question_request(look ? WORKER_TASK_WAITS : WORKER_IDENTIFY, f->pid, f->start_time);
	if (look)
		request.threads = (struct request_threads){ process.runtime, p->asyncio, layout };
	else
		request.identity = (struct request_identity){ .tasks = true, .again = true };
	err = err ?: questions_ask(t->questions, &q, &request);
	if (err)
		return err;
	t->asked = clock_ns();
	return 0;
}

static void look_at_due(struct task_targets *t, __u64 now)
{
	struct task_process *p = (struct task_process *)follow_due(&t->follow, now);

	if (p && ask_tasks(t, p))
		follow_pause(&p->followed, &pauses);
}

static void count_some(struct task_targets *t)
{
	const __u64 begin = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
	struct task_process *p = find_process(t, t->stacks.of.process);
	const bool done =
		task_stacks_turn(&t->stacks, kernel_asleep(t->kernel), t->captures, clock_ns() + TURN_NS);
	struct task_places places;

	t->cost_ns += clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (!done)
		return;
	task_stacks_end(&t->stacks, &places);
	if (p)
		p->places = places;
	else
		task_places_free(&places);
	follow_rest(&t->follow, REST * t->cost_ns);
}

static void tasks_on_turn(void *task_targets, unsigned int ready)
{
	struct task_targets *t = task_targets;
	const __u64 now = clock_ns();

	(void)ready;
	if (!wants_tasks(t))
		return;
	if (t->stacks.answer)
		count_some(t);
	else if (!follow_registry(&t->follow, now) && !t->asked)
		look_at_due(t, now);
}

static int tasks_due_ms(void *task_targets)
{
	const struct task_targets *t = task_targets;

	if (!wants_tasks(t))
		return -1;
	return t->stacks.answer ? 0 : follow_due_ms(&t->follow, clock_ns(), t->asked);
}

int task_targets_watch(struct task_targets *t, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, tasks_due_ms, tasks_on_turn, t });
}
