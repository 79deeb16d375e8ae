// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/asleep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "symbols/captures.h"
#include "targets/questions.h"

#define LIST_NS	     NS_PER_SECOND
#define RENEWED_NS   (100 * NS_PER_MS) /* instead, when the tree was emptied in between */
#define REST	     9 /* times as long as a look was, before the next one */
#define TURN_NS	     (2 * NS_PER_MS) /* of giving stacks in one turn */
#define REFUSED	     16 /* processes that could not be looked at are remembered */
#define PAUSE_MIN_NS NS_PER_SECOND /* before such a one is looked at again; doubled each time */
#define PAUSE_MAX_NS (64 * NS_PER_SECOND)

struct refused {
	__u32 process;
	__u64 pause, due;
};

struct asleep_targets {
	struct kernel *kernel;
	struct questions *questions;
	struct captures *captures;
	struct buf list;		  /* of struct asleep, by their numbers */
	size_t at;			  /* the next of them to be looked at */
	__u32 last_tid;			  /* that was looked at: where the next list is begun */
	__u64 next_list, next_look;	  /* CLOCK_MONOTONIC, ns */
	__u32 generation;		  /* of the tree, when they were listed last */
	struct asleep part[SLEEPERS_MAX]; /* what was asked for: threads of one process */
	size_t part_count;
	__u64 asked;  /* when; 0 = nothing is asked for */
	__u8 *answer; /* what was seen of them; NULL = nothing is left to be given */
	const struct sleepers *seen;
	const struct sleeper *threads;
	const struct seen_code *codes;
	const struct seen_frame *frames;
	__u32 done; /* threads of the answer */
	struct refused refused[REFUSED];
	size_t refused_next;
};

int asleep_targets_new(struct asleep_targets **ret, struct kernel *kernel, struct questions *questions,
		       struct captures *captures)
{
	struct asleep_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->questions = questions;
	t->captures = captures;
	*ret = t;
	return 0;
}

void asleep_targets_free(struct asleep_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	buf_free(&t->list);
	free(t->answer);
	free(t);
}

/* --- processes that cannot be looked at ----------------------------------------------------------------- */

static struct refused *find_refused(struct asleep_targets *t, __u32 process)
{
	for (size_t i = 0; i < REFUSED; i++)
		if (t->refused[i].process == process)
			return &t->refused[i];
	return NULL;
}

/* A look that failed may have cost the worker its life. */
static void refuse_process(struct asleep_targets *t, __u32 process, __u64 now)
{
	struct refused *r = find_refused(t, process);

	if (!r) {
		r = &t->refused[t->refused_next++ % REFUSED];
		*r = (struct refused){ .process = process, .pause = PAUSE_MIN_NS / 2 };
	}
	r->pause = r->pause < PAUSE_MAX_NS / 2 ? 2 * r->pause : PAUSE_MAX_NS;
	r->due = now + r->pause;
}

static bool is_refused(struct asleep_targets *t, __u32 process, __u64 now)
{
	const struct refused *r = find_refused(t, process);

	return r && now < r->due;
}

/* --- the list ------------------------------------------------------------------------------------------- */

static const struct asleep *listed(const struct asleep_targets *t, size_t i)
{
	return (const struct asleep *)t->list.data + i;
}

static size_t list_count(const struct asleep_targets *t)
{
	return t->list.size / sizeof(struct asleep);
}

/* Processes that were never reached come first, so that none is looked at again and again before others. */
static void list(struct asleep_targets *t, __u64 now)
{
	int err;

	t->next_list = now + LIST_NS;
	t->generation = asleep_generation(kernel_asleep(t->kernel));
	buf_clear(&t->list);
	err = asleep_list(kernel_asleep(t->kernel), &t->list);
	if (err)
		log_debug("threads that sleep cannot be listed: %s", strerror(-err));
	for (t->at = 0; t->at < list_count(t) && listed(t, t->at)->tid <= t->last_tid;)
		t->at++;
	if (t->at == list_count(t))
		t->at = 0;
}

/* --- stacks that were seen ------------------------------------------------------------------------------ */

static void give_sleeper(struct asleep_targets *t, const struct asleep *a, const struct sleeper *s)
{
	const struct asleep_programs *programs = kernel_asleep(t->kernel);
	struct outside_stack *g = programs->outside;

	g->asleep = *a;
	g->outcome = s->outcome;
	g->depth = s->count;
	for (__u32 i = 0; i < s->count; i++) {
		const struct seen_frame *f = &t->frames[s->first + i];
		const struct seen_code *c = &t->codes[f->code];

		g->frames[i] = (struct outside_frame){
			.address = c->address, .fingerprint = c->fingerprint, .instr = f->instr
		};
	}
	if (asleep_give(programs) < 0)
		return;
	for (__u32 i = 0; i < s->count; i++)
		if (g->frames[i].unnamed)
			captures_given(t->captures, a, &t->codes[t->frames[s->first + i].code],
				       g->frames[i].code);
}

static const struct asleep *asked_for(const struct asleep_targets *t, pid_t tid)
{
	for (size_t i = 0; i < t->part_count; i++)
		if (t->part[i].tid == (__u32)tid)
			return &t->part[i];
	return NULL;
}

static void give_some(struct asleep_targets *t)
{
	const __u64 end = clock_ns() + TURN_NS;

	while (t->done < t->seen->threads && clock_ns() < end) {
		const struct sleeper *s = &t->threads[t->done++];
		const struct asleep *a = asked_for(t, s->tid);

		if (a)
			give_sleeper(t, a, s);
	}
	if (t->done < t->seen->threads)
		return;
	free(t->answer);
	t->answer = NULL;
}

static void on_sleepers(void *targets, const void *note, struct worker_reply *r)
{
	struct asleep_targets *t = targets;
	const __u64 now = clock_ns();
	int err = r->error;

	(void)note;
	err = err ?: sleepers_parse(r->table, r->table_size, &t->seen, &t->threads, &t->codes, &t->frames);
	t->next_look = now + REST * worker_reply_cost(r, now - t->asked);
	t->asked = 0;
	if (err) {
		log_debug("threads of pid %u that sleep cannot be looked at: %s", r->pid, strerror(-err));
		refuse_process(t, t->part[0].process, now);
		return;
	}
	t->answer = r->table;
	t->done = 0;
	r->table = NULL;
}

/* --- looks ---------------------------------------------------------------------------------------------- */

/* The next threads of one process become the part. */
static void take_part(struct asleep_targets *t)
{
	const size_t count = list_count(t);

	t->part_count = 0;
	while (t->at < count && t->part_count < SLEEPERS_MAX) {
		const struct asleep *a = listed(t, t->at);

		if (t->part_count && a->process != t->part[0].process)
			return;
		t->part[t->part_count++] = *a;
		t->last_tid = a->tid;
		t->at++;
	}
}

static int ask_sleepers(struct asleep_targets *t)
{
	const struct question q = { .answer = on_sleepers, .asker = t, .uncounted = true };
	const struct asleep *a = &t->part[0];
	struct worker_request request;
	struct process p;
	int err = kernel_get_image(t->kernel, a->pid, a->process, &p);

	if (err)
		return err;
	request = question_request(WORKER_SLEEPERS, a->pid, p.start_time);
	err = kernel_get_layout(t->kernel, p.layout, &request.sleepers.layout);
	request.sleepers.runtime = p.runtime;
	request.sleepers.question.max_depth = kernel_asleep(t->kernel)->max_depth;
	request.sleepers.question.count = t->part_count;
	for (size_t i = 0; i < t->part_count; i++)
		request.sleepers.question.tids[i] = t->part[i].tid;
	return err ?: questions_ask(t->questions, &q, &request);
}

static void look_at_next(struct asleep_targets *t, __u64 now)
{
	take_part(t);
	if (t->part_count && !is_refused(t, t->part[0].process, now) && !ask_sleepers(t))
		t->asked = now;
}

/* When the next list is due. */
static __u64 list_due(const struct asleep_targets *t)
{
	const bool same = t->generation == asleep_generation(kernel_asleep(t->kernel));

	return same || !t->next_list ? t->next_list : t->next_list - LIST_NS + RENEWED_NS;
}

static void asleep_on_turn(void *asleep, unsigned int ready)
{
	struct asleep_targets *t = asleep;
	const __u64 now = clock_ns();

	(void)ready;
	if (!asleep_is_open(kernel_asleep(t->kernel)))
		return;
	if (t->answer)
		give_some(t);
	else if (now >= list_due(t) && !t->asked)
		list(t, now);
	else if (now >= t->next_look && !t->asked && t->at < list_count(t))
		look_at_next(t, now);
}

static int asleep_due_ms(void *asleep)
{
	const struct asleep_targets *t = asleep;
	const __u64 now = clock_ns();
	__u64 due;

	if (!asleep_is_open(kernel_asleep(t->kernel)) || t->asked)
		return -1;
	due = list_due(t);
	if (t->at < list_count(t) && t->next_look < due)
		due = t->next_look;
	return t->answer || due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

int asleep_watch(struct asleep_targets *t, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, asleep_due_ms, asleep_on_turn, t });
}
