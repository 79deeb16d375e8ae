// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/called_targets.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "names/called.h"
#include "remote/thread_names.h"
#include "remote_polls/follow.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define REST	    50 /* times as long as a look took, before the next: a fiftieth of a CPU in all */
#define SWEEP_NS    (10 * NS_PER_SECOND)
#define TOOK_MAX_NS (20 * NS_PER_MS) /* that an answer is taken to have cost, at most */

/*
 * Before threads of a process are looked for that were sampled and are not known. A program that makes
 * threads all the time is looked at less and less often: those that stay get their names later.
 */
static const struct follow_pauses pauses = { 100 * NS_PER_MS, 4 * NS_PER_SECOND, 8 };

struct called_targets {
	struct kernel *kernel;
	struct questions *questions;
	struct called *called;
	struct follow follow;
	__u64 asked; /* when; CLOCK_MONOTONIC, ns; 0 = nothing is asked for */
	__u64 swept; /* when names of processes that are no more were forgotten; the same clock */
};

int called_targets_new(struct called_targets **ret, struct kernel *kernel, const struct registry *registry,
		       struct questions *questions, struct called *called)
{
	struct called_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->questions = questions;
	t->called = called;
	t->follow = (struct follow){ .registry = registry, .size = sizeof(struct followed) };
	*ret = t;
	return 0;
}

void called_targets_free(struct called_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	follow_end(&t->follow);
	free(t);
}

/*
 * Threads of this process that were sampled and are not known: how many there are; missed: a look has just
 * found no names of them. The kernel side may write meanwhile: what is half there is seen the next time.
 */
static size_t unknown(const struct called_targets *t, __u32 id, bool missed)
{
	const struct kernel_tables *tables = kernel_tables(t->kernel);
	size_t count = 0;

	for (__u32 i = 0; i < tables->owner_count; i++) {
		const struct owner *o = &tables->owners[i];
		__u64 thread;

		if (!o->key || o->process != id || !o->tid)
			continue;
		thread = called_thread_of(o);
		if (called_find(t->called, id, thread))
			continue;
		count++;
		if (missed && called_miss(t->called, id, thread))
			break;
	}
	return count;
}

static int take_names(struct called_targets *t, __u32 id, const struct worker_reply *r)
{
	const struct thread_name *names;
	size_t count;
	int err = r->error ?: thread_names_parse(r->table, r->table_size, &names, &count);

	for (size_t i = 0; i < count && !err; i++)
		err = called_add(t->called, id, called_thread((__u32)names[i].tid, names[i].start_ticks),
				 names[i].name);
	return err;
}

static void on_names(void *called_targets, const void *id, struct worker_reply *r)
{
	struct called_targets *t = called_targets;
	struct followed *p = follow_find(&t->follow, *(const __u32 *)id);
	const __u64 took = clock_ns() - t->asked;
	int err;

	follow_rest(&t->follow, REST * (took < TOOK_MAX_NS ? took : TOOK_MAX_NS));
	t->asked = 0;
	if (!p)
		return;
	err = take_names(t, p->id, r);
	/* Without the module there are no names, but it may still come. */
	if (!err)
		unknown(t, p->id, true);
	if (err == -EOPNOTSUPP)
		p->due = FOLLOW_NEVER;
}

static int ask_names(struct called_targets *t, struct followed *p)
{
	const struct question q = { on_names, t, &p->id, sizeof(p->id), true };
	struct worker_request request;
	struct process process;
	int err = kernel_get_image(t->kernel, p->pid, p->id, &process);

	if (err || process.state != PROCESS_PYTHON)
		return err ?: -ESRCH;
	request = question_request(WORKER_THREAD_NAMES, p->pid, p->start_time);
	err = kernel_get_layout(t->kernel, process.layout, &request.threads.layout);
	if (err)
		return err;
	if (!thread_names_are_hidden(&request.threads.layout)) {
		p->due = FOLLOW_NEVER;
		return 0;
	}
	request.threads.runtime = process.runtime;
	err = questions_ask(t->questions, &q, &request);
	if (!err)
		t->asked = clock_ns();
	return err;
}

static bool is_registered(const void *registry, __u32 id)
{
	return registry_find(registry, id);
}

static void called_on_turn(void *called_targets, unsigned int ready)
{
	struct called_targets *t = called_targets;
	const __u64 now = clock_ns();
	struct followed *p;

	(void)ready;
	follow_registry(&t->follow, now);
	if (now - t->swept >= SWEEP_NS) {
		called_sweep(t->called, is_registered, t->follow.registry);
		t->swept = now;
	}
	p = t->asked ? NULL : follow_due(&t->follow, now);
	if (!p)
		return;
	follow_pause(p, &pauses);
	if (unknown(t, p->id, false))
		ask_names(t, p);
}

static int called_due_ms(void *called_targets)
{
	const struct called_targets *t = called_targets;

	return follow_due_ms(&t->follow, clock_ns(), t->asked);
}

int called_targets_watch(struct called_targets *t, struct loop *loop)
{
	return t ? loop_watch(loop, &(struct loop_row){ -1, called_due_ms, called_on_turn, t }) : 0;
}
