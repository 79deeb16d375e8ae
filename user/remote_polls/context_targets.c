// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/context_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/contexts.h"
#include "kern/process_table.h"
#include "python/context_names.h"
#include "remote_polls/follow.h"
#include "targets/questions.h"

#define REST	    20 /* times as long as a look took, before the next: a twentieth of the worker's time */
#define AGAIN_NS    (30 * NS_PER_SECOND) /* once all are found: others of these names may come */
#define TOOK_MAX_NS (20 * NS_PER_MS) /* that an answer is taken to have cost, at most */

/* Before variables are looked for again. */
static const struct follow_pauses pauses = { 50 * NS_PER_MS, 4 * NS_PER_SECOND, 4 };
/* For spans alone, which most processes never have: a look goes through the names of all modules. */
static const struct follow_pauses trace_pauses = { 50 * NS_PER_MS, 30 * NS_PER_SECOND, 4 };

struct context_targets {
	struct kernel *kernel;
	struct questions *questions;
	const struct context_names *names;
	struct follow follow;
	__u64 asked;	/* when; CLOCK_MONOTONIC, ns; 0 = nothing is asked for */
	__u32 found;	/* a bit for each name that some process has */
	bool any;	/* a process was looked at */
	bool is_untrue; /* it was said of one that what it publishes is not read */
};

int context_targets_new(struct context_targets **ret, struct kernel *kernel, const struct registry *registry,
			struct questions *questions, const struct context_names *names)
{
	struct context_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->follow = (struct follow){ .registry = registry, .size = sizeof(struct followed) };
	t->questions = questions;
	t->names = names;
	*ret = t;
	return 0;
}

static bool wants_contexts(const struct context_targets *t)
{
	return t->names && (t->names->count || t->names->trace);
}

void context_targets_free(struct context_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	follow_end(&t->follow);
	for (__u32 i = 0; wants_contexts(t) && t->any && i < t->names->count; i++)
		if (!(t->found >> i & 1))
			log_warning("--label-var: no context variable '%s' was met in any process",
				    t->names->name[i]);
	free(t);
}

/* --- answers ----------------------------------------------------------------------------------------- */

/* Somebody wonders why there are no ids. */
static void note_untrue(struct context_targets *t, __u32 pid, const struct context_vars *found)
{
	if (found->thread.kind != THREAD_CONTEXT_UNTRUE || t->is_untrue)
		return;
	t->is_untrue = true;
	log_warning("--trace: ddtrace in pid %u does not follow tasks, so its ids are not taken: start it"
		    " with ddtrace-run",
		    pid);
}

/* Adds what was found to what the kernel side knows of it. 0, or -errno if not all names are found. */
static int take_contexts(struct context_targets *t, const struct followed *p, const struct worker_reply *r)
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
	err = kernel_get_image(t->kernel, p->pid, p->id, &process);
	if (err)
		return err;
	known = contexts_get(contexts, process.contexts);
	if (known)
		all = *known;
	note_untrue(t, p->pid, &found);
	if (context_vars_merge(&all, &found) &&
	    (known || all.count || all.trace.count || thread_context_is_read(&all.thread))) {
		err = contexts_set(contexts, p->pid, p->id, process.user, &all);
		log_debug("pid %u has %u context variables of these names%s", p->pid, all.count,
			  all.trace.count || thread_context_is_read(&all.thread) ? ", and a tracer" : "");
	}
	for (__u32 i = 0; i < all.count; i++)
		t->found |= 1U << all.label[i];
	return err ?: context_vars_are_all(&all, t->names) ? 0 : -ENOENT;
}

static void on_contexts(void *targets, const void *id, struct worker_reply *r)
{
	struct context_targets *t = targets;
	struct followed *p = follow_find(&t->follow, *(const __u32 *)id);
	const __u64 now = clock_ns(), took = now - t->asked;

	follow_rest(&t->follow, REST * (took < TOOK_MAX_NS ? took : TOOK_MAX_NS));
	t->asked = 0;
	if (!p)
		return;
	t->any = true;
	if (take_contexts(t, p, r)) {
		follow_pause(p, t->names->count ? &pauses : &trace_pauses);
		return;
	}
	p->pause = 0;
	p->due = now + AGAIN_NS;
}

/* --- questions --------------------------------------------------------------------------------------- */

static int ask_contexts(struct context_targets *t, const struct followed *p)
{
	const struct question q = { on_contexts, t, &p->id, sizeof(p->id), true };
	struct worker_request request;
	struct process process;
	int err = kernel_get_image(t->kernel, p->pid, p->id, &process);

	if (err || process.state != PROCESS_PYTHON)
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

static void contexts_on_turn(void *context_targets, unsigned int ready)
{
	struct context_targets *t = context_targets;
	const __u64 now = clock_ns();
	struct followed *p;

	(void)ready;
	if (!wants_contexts(t))
		return;
	follow_registry(&t->follow, now);
	p = t->asked ? NULL : follow_due(&t->follow, now);
	if (p && ask_contexts(t, p))
		follow_pause(p, t->names->count ? &pauses : &trace_pauses);
}

static int contexts_due_ms(void *context_targets)
{
	const struct context_targets *t = context_targets;

	return wants_contexts(t) ? follow_due_ms(&t->follow, clock_ns(), t->asked) : -1;
}

int context_targets_watch(struct context_targets *t, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, contexts_due_ms, contexts_on_turn, t });
}
