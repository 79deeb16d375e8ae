// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/published.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "remote_polls/follow.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define AGAIN_NS    (5 * NS_PER_SECOND) /* once there is something, which may change */
#define REST	    200 /* times as long as a look took, before the next: it reads the list of all mappings */
#define TOOK_MAX_NS (20 * NS_PER_MS) /* that an answer is taken to have cost, at most */

/* While nothing is published, or it cannot be read. */
static const struct follow_pauses pauses = { 250 * NS_PER_MS, 60 * NS_PER_SECOND, 1 };

struct published {
	struct kernel *kernel;
	struct registry *registry;
	struct questions *questions;
	struct follow follow;
	__u64 asked; /* when; CLOCK_MONOTONIC, ns; 0 = nothing is asked for */
};

int published_new(struct published **ret, struct kernel *kernel, struct registry *registry,
		  struct questions *questions)
{
	struct published *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->kernel = kernel;
	p->registry = registry;
	p->questions = questions;
	p->follow = (struct follow){ .registry = registry, .size = sizeof(struct followed) };
	*ret = p;
	return 0;
}

void published_free(struct published *p)
{
	if (!p)
		return;
	questions_forget(p->questions, p);
	follow_end(&p->follow);
	free(p);
}

/* Whether this is still the process's image: of another one the worker may have read the memory. */
static bool is_same_image(struct published *p, const struct registry_entry *e)
{
	struct process process;

	return e && !e->ended && !kernel_get_image(p->kernel, e->pid, e->id, &process);
}

/* 0 if it is known now what the process publishes, else -errno. */
static int take_published(struct published *p, __u32 id, const struct worker_reply *r)
{
	const struct registry_entry *e = registry_find(p->registry, id);
	struct registry_entry changed;
	struct otel_context context;

	if (r->error)
		return r->error == -EALREADY ? 0 : r->error;
	if (r->table_size != sizeof(context))
		return -EBADMSG;
	memcpy(&context, r->table, sizeof(context));
	if (!otel_context_is_sane(&context))
		return -EBADMSG;
	if (!is_same_image(p, e))
		return -ESRCH;
	changed = *e;
	changed.label[LABEL_service] = context.service;
	changed.label[LABEL_service_instance] = context.instance;
	changed.label[LABEL_environment] = context.environment;
	changed.published = context.place;
	log_debug("pid %u publishes that it is a service", e->pid);
	return registry_add(p->registry, &changed);
}

static void on_published(void *published, const void *id, struct worker_reply *r)
{
	struct published *p = published;
	struct followed *f = follow_find(&p->follow, *(const __u32 *)id);
	const __u64 took = clock_ns() - p->asked;

	follow_rest(&p->follow, REST * (took < TOOK_MAX_NS ? took : TOOK_MAX_NS));
	p->asked = 0;
	if (!f)
		return;
	if (take_published(p, f->id, r)) {
		follow_pause(f, &pauses);
		return;
	}
	f->pause = 0;
	f->due = clock_ns() + AGAIN_NS;
}

static int ask_published(struct published *p, const struct followed *f)
{
	const struct question q = { on_published, p, &f->id, sizeof(f->id), true };
	const struct registry_entry *e = registry_find(p->registry, f->id);
	struct worker_request request = question_request(WORKER_PUBLISHED, f->pid, f->start_time);
	int err;

	if (!is_same_image(p, e))
		return -ESRCH;
	request.published.known = e->published;
	err = questions_ask(p->questions, &q, &request);
	if (!err)
		p->asked = clock_ns();
	return err;
}

static void published_on_turn(void *published, unsigned int ready)
{
	struct published *p = published;
	const __u64 now = clock_ns();
	struct followed *f;

	(void)ready;
	follow_registry(&p->follow, now);
	f = p->asked ? NULL : follow_due(&p->follow, now);
	if (f && ask_published(p, f))
		follow_pause(f, &pauses);
}

static int published_due_ms(void *published)
{
	const struct published *p = published;

	return follow_due_ms(&p->follow, clock_ns(), p->asked);
}

int published_watch(struct published *p, struct loop *loop)
{
	return p ? loop_watch(loop, &(struct loop_row){ -1, published_due_ms, published_on_turn, p }) : 0;
}
