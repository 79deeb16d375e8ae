// SPDX-License-Identifier: GPL-2.0-only
#include "looks/context_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/contexts.h"
#include "kern/process_table.h"
#include "python/context_names.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define FOLLOW_NS    (200 * NS_PER_MS) /* between two comparisons with the registry */
#define REST	     20 /* times as long as a look took, before the next: a twentieth of the worker's time */
#define PAUSE_MIN_NS (50 * NS_PER_MS) /* before variables are looked for again; a quarter more each time */
#define PAUSE_MAX_NS (4 * NS_PER_SECOND)
#define AGAIN_NS     (30 * NS_PER_SECOND) /* once all are found: others of these names may come */
#define TOOK_MAX_NS  (20 * NS_PER_MS) /* that an answer is taken to have cost, at most */

struct context_process {
	__u32 id, pid;	  /* id: struct process.id */
	bool is_there;	  /* in the registry */
	__u64 start_time; /* ns since boot */
	__u64 due;	  /* CLOCK_MONOTONIC, ns */
	__u64 pause;
	UT_hash_handle hh;
};

struct context_targets {
	struct kernel *kernel;
	const struct registry *registry;
	struct questions *questions;
	const struct context_names *names;
	struct context_process *processes; /* by their ids */
	__u64 next_follow, next_look;	   /* CLOCK_MONOTONIC, ns */
	__u64 asked;			   /* when; 0 = nothing is asked for */
	__u32 found;			   /* a bit for each name that some process has */
	bool any;			   /* a process was looked at */
};

int context_targets_new(struct context_targets **ret, struct kernel *kernel, const struct registry *registry,
			struct questions *questions, const struct context_names *names)
{
	struct context_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->registry = registry;
	t->questions = questions;
	t->names = names;
	*ret = t;
	return 0;
}

static bool is_wanted(const struct context_targets *t)
{
	return t->names && t->names->count;
}

void context_targets_free(struct context_targets *t)
{
	struct context_process *p, *next;

	if (!t)
		return;
	questions_forget(t->questions, t);
	HASH_ITER(hh, t->processes, p, next) {
		HASH_DEL(t->processes, p);
		free(p);
	}
	for (__u32 i = 0; is_wanted(t) && t->any && i < t->names->count; i++)
		if (!(t->found >> i & 1))
			log_warning("--label-var: no context variable '%s' was met in any process",
				    t->names->name[i]);
	free(t);
}

static struct context_process *find(const struct context_targets *t, __u32 id)
{
	struct context_process *p;

	HASH_FIND(hh, t->processes, &id, sizeof(id), p);
	return p;
}

/* --- which processes there are ----------------------------------------------------------------------- */

static void add(struct context_targets *t, const struct registry_entry *e)
{
	struct context_process *p = calloc(1, sizeof(*p));

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
	struct context_targets *t = targets;
	struct context_process *p = find(t, e->id);

	if (p)
		p->is_there = !e->ended;
	else if (!e->ended && e->layout >= 0)
		add(t, e);
	return 0;
}

static void follow(struct context_targets *t, __u64 now)
{
	struct context_process *p, *next;

	t->next_follow = now + FOLLOW_NS;
	HASH_ITER(hh, t->processes, p, next)
		p->is_there = false;
	registry_each(t->registry, on_entry, t);
	HASH_ITER(hh, t->processes, p, next) {
		if (p->is_there)
			continue;
		HASH_DEL(t->processes, p);
		free(p);
	}
}

/* --- answers ----------------------------------------------------------------------------------------- */

static void pause_for(struct context_process *p)
{
	p->pause = !p->pause ? PAUSE_MIN_NS : p->pause + p->pause / 4;
	if (p->pause > PAUSE_MAX_NS)
		p->pause = PAUSE_MAX_NS;
	p->due = clock_ns() + p->pause;
}

/* Adds what was found to what the kernel side knows of it. 0, or -errno if not all names are found. */
static int take_answer(struct context_targets *t, const struct context_process *p,
		       const struct worker_reply *r)
{
	struct contexts *contexts = kernel_contexts(t->kernel);
	const struct context_vars *known;
	struct context_vars found, all = { 0 };
	struct process process;
	int err = r->error;

	if (err)
		return err;
	if (r->table_size != sizeof(found))
		return -EBADMSG;
	memcpy(&found, r->table, sizeof(found));
	if (!context_vars_are_sane(&found, t->names))
		return -EBADMSG;
	err = kernel_get_process(t->kernel, p->pid, &process);
	if (err || process.id != p->id)
		return err ?: -ESRCH;
	known = contexts_get(contexts, process.contexts);
	if (known)
		all = *known;
	if (context_vars_merge(&all, &found) && all.count) {
		err = contexts_set(contexts, p->pid, p->id, &all);
		log_debug("pid %u has %u context variables of these names", p->pid, all.count);
	}
	for (__u32 i = 0; i < all.count; i++)
		t->found |= 1U << all.label[i];
	return err ?: context_vars_are_all(&all, t->names) ? 0 : -ENOENT;
}

static void on_answer(void *targets, const void *id, struct worker_reply *r)
{
	struct context_targets *t = targets;
	struct context_process *p = find(t, *(const __u32 *)id);
	const __u64 now = clock_ns(), took = now - t->asked;

	t->next_look = now + REST * (took < TOOK_MAX_NS ? took : TOOK_MAX_NS);
	t->asked = 0;
	if (!p)
		return;
	t->any = true;
	if (take_answer(t, p, r)) {
		pause_for(p);
		return;
	}
	p->pause = 0;
	p->due = now + AGAIN_NS;
}

/* --- questions --------------------------------------------------------------------------------------- */

static int ask(struct context_targets *t, struct context_process *p)
{
	const struct question q = { on_answer, t, &p->id, sizeof(p->id), true };
	struct worker_request request;
	struct process process;
	int err = kernel_get_process(t->kernel, p->pid, &process);

	if (err || process.id != p->id || process.state != PROCESS_PYTHON)
		return err ?: -ESRCH;
	request = question_request(WORKER_CONTEXTS, p->pid, p->start_time);
	err = kernel_get_layout(t->kernel, process.layout, &request.contexts.layout);
	request.contexts.runtime = process.runtime;
	request.contexts.names = *t->names;
	err = err ?: questions_ask(t->questions, &q, &request);
	if (!err)
		t->asked = clock_ns();
	return err;
}

/* The process that has been due for longest, or will be due first; NULL if there is none. */
static struct context_process *next_process(const struct context_targets *t)
{
	struct context_process *first = NULL;

	for (struct context_process *p = t->processes; p; p = p->hh.next)
		if (!first || p->due < first->due)
			first = p;
	return first;
}

static void on_turn(void *context_targets, unsigned int ready)
{
	struct context_targets *t = context_targets;
	const __u64 now = clock_ns();
	struct context_process *p;

	(void)ready;
	if (!is_wanted(t))
		return;
	if (now >= t->next_follow)
		follow(t, now);
	if (t->asked || now < t->next_look)
		return;
	p = next_process(t);
	if (p && p->due <= now && ask(t, p))
		pause_for(p);
}

static int due_ms(void *context_targets)
{
	const struct context_targets *t = context_targets;
	const struct context_process *p;
	const __u64 now = clock_ns();
	__u64 due = t->next_follow;

	if (!is_wanted(t))
		return -1;
	p = t->asked ? NULL : next_process(t);
	if (p && p->due < due)
		due = p->due > t->next_look ? p->due : t->next_look;
	if (due > t->next_follow)
		due = t->next_follow;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

int context_targets_watch(struct context_targets *t, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, due_ms, on_turn, t });
}
