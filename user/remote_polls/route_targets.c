// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/route_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/complaint.h"
#include "base/fair.h"
#include "base/hash.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/contexts.h"
#include "kern/process_table.h"
#include "names/routes.h"
#include "names/shares.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define REST	    3 /* times as long as an answer took, before the next: a quarter of the worker */
#define TOOK_MAX_NS (20 * NS_PER_MS) /* that an answer is taken to have cost, at most */
#define AGAIN_NS    (4 * NS_PER_MS) /* before a span without a route is looked at again; then twice that, */
#define TRIES	    8 /* ... and so on: for a second */

/* A span that is to be looked at. */
struct target {
	struct route_key key;
	__u32 id;		   /* of its process */
	struct owner_share *share; /* of its process's user */
	__u32 tries;		   /* looks that found no route */
	bool torn;		   /* the last look saw it change */
	__u64 address;
	__u64 due; /* CLOCK_MONOTONIC, ns */
	UT_hash_handle hh;
};

struct route_targets {
	struct kernel *kernel;
	const struct registry *registry;
	struct questions *questions;
	struct routes *routes;
	struct target *targets;
	struct shares *shares;
	struct route_key batch[ROUTES_AT_ONCE]; /* that the worker was asked for */
	__u32 batch_count;
	__u64 asked;	 /* when; 0 = nothing is asked for */
	__u64 next_look; /* no look begins before */
	__u64 earliest;	 /* no target is due before: all are looked through only then */
	struct complaint left, forgotten;
};

int route_targets_new(struct route_targets **ret, struct kernel *kernel, const struct registry *registry,
		      struct questions *questions, struct routes *routes)
{
	struct route_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->registry = registry;
	t->questions = questions;
	t->routes = routes;
	if (shares_new(&t->shares)) {
		free(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

static void forget_target(struct route_targets *t, struct target *target)
{
	HASH_DEL(t->targets, target);
	shares_drop(t->shares, target->share, 0);
	free(target);
}

void route_targets_free(struct route_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	while (t->targets)
		forget_target(t, t->targets);
	shares_free(t->shares);
	free(t);
}

static struct target *find_target(const struct route_targets *t, const struct route_key *key)
{
	struct target *target;

	HASH_FIND(hh, t->targets, key, sizeof(*key), target);
	return target;
}

/* Whose process this is. 0: it has ended, so nothing of it will be found. */
static __u64 user_of(const struct route_targets *t, __u32 pid, __u32 id)
{
	struct process process;

	return kernel_get_image(t->kernel, pid, id, &process) ? 0 : process.user;
}

static bool has_room(const struct route_targets *t, __u64 user)
{
	return fair_may(shares_count(t->shares, user), 1, ROUTE_TARGETS_MAX - HASH_COUNT(t->targets));
}

static struct target *add_target(struct route_targets *t, const struct route_key *key, __u64 user)
{
	struct target *target = has_room(t, user) ? calloc(1, sizeof(*target)) : NULL;

	if (!target)
		return NULL;
	if (shares_take(t->shares, user, 0, &target->share)) {
		free(target);
		return NULL;
	}
	target->key = *key;
	HASH_ADD(hh, t->targets, key, sizeof(*key), target);
	if (target->hh.tbl)
		return target;
	shares_drop(t->shares, target->share, 0);
	free(target);
	return NULL;
}

void route_targets_record(void *targets, const void *record, size_t size)
{
	struct route_targets *t = targets;
	const struct record_span *e = record;
	const struct route_key key = { .ids = e->ids, .pid = e->pid };
	struct target *target;

	(void)size;
	if (find_target(t, &key) || routes_find(t->routes, &key))
		return;
	target = add_target(t, &key, user_of(t, e->pid, e->id));
	if (!target) {
		routes_count(t->routes)->left++;
		return;
	}
	t->earliest = 0;
	target->id = e->id;
	target->address = e->address;
}

/* --- answers ----------------------------------------------------------------------------------------- */

static void set_due(struct route_targets *t, struct target *target, __u64 due)
{
	target->due = due;
	if (due < t->earliest)
		t->earliest = due;
}

/* It is looked at again unless that was done often enough. */
static void pause_target(struct route_targets *t, struct target *target, bool torn)
{
	if (target->tries < TRIES) {
		set_due(t, target, clock_ns() + (AGAIN_NS << target->tries++));
		target->torn = torn;
		return;
	}
	if (torn)
		routes_count(t->routes)->torn++;
	else
		routes_count(t->routes)->none++;
	forget_target(t, target);
}

/* Of a span that has ended: whether anything was found out while it lived. */
static void count_gone(struct route_targets *t, const struct target *target)
{
	struct route_counts *count = routes_count(t->routes);

	if (!target->tries)
		count->gone++;
	else if (target->torn)
		count->torn++;
	else
		count->none++;
}

static void take_one(struct route_targets *t, struct target *target, struct route_found *f)
{
	const bool is_found = f->state == ROUTE_FOUND;
	struct route_met met;

	if (f->state == ROUTE_GONE) {
		count_gone(t, target);
		forget_target(t, target);
		return;
	}
	if (f->state == ROUTE_TORN) {
		pause_target(t, target, true);
		return;
	}
	f->route[sizeof(f->route) - 1] = '\0';
	met = (struct route_met){ target->share->owner, is_found ? f->route : NULL, f->parent, clock_ns() };
	if (routes_set(t->routes, &target->key, &met)) {
		routes_count(t->routes)->left++;
		forget_target(t, target);
	} else if (routes_find(t->routes, &target->key)) {
		routes_count(t->routes)->found++;
		forget_target(t, target);
	} else {
		pause_target(t, target, false);
	}
}

/* A question that was not answered may be asked again, but not for ever. */
static void take_failure(struct route_targets *t, struct target *target, int err)
{
	if (err == -ESRCH)
		target->tries = TRIES;
	pause_target(t, target, true);
}

static void on_routes(void *targets, const void *note, struct worker_reply *r)
{
	struct route_targets *t = targets;
	const __u64 now = clock_ns(), took = now - t->asked;
	const bool is_whole = r->table_size == t->batch_count * sizeof(struct route_found);

	(void)note;
	t->next_look = now + REST * (took < TOOK_MAX_NS ? took : TOOK_MAX_NS);
	t->asked = 0;
	for (__u32 i = 0; i < t->batch_count; i++) {
		struct target *target = find_target(t, &t->batch[i]);
		struct route_found found;

		if (!target)
			continue;
		if (r->error || !is_whole) {
			take_failure(t, target, r->error);
			continue;
		}
		memcpy(&found, (const char *)r->table + i * sizeof(found), sizeof(found));
		take_one(t, target, &found);
	}
}

/* --- questions --------------------------------------------------------------------------------------- */

/* The next one: of those that are due, one of the user who was not asked about for longest. */
static struct target *first_due(const struct route_targets *t, __u64 now)
{
	struct target *first = t->targets;

	for (struct target *at = t->targets; at; at = at->hh.next) {
		if (at->due > now ? at->due < first->due :
				    first->due > now || at->share->turn < first->share->turn)
			first = at;
	}
	return first;
}

/* Those of one process that are due. */
static void choose(struct route_targets *t, __u32 id, __u64 now, struct routes_question *q)
{
	for (struct target *at = t->targets; at && q->count < ROUTES_AT_ONCE; at = at->hh.next) {
		if (at->id != id || at->due > now)
			continue;
		t->batch[q->count] = at->key;
		q->span[q->count++] = (struct route_span){ at->address, at->key.ids };
	}
	t->batch_count = q->count;
}

/* Where the process has what is asked for. 0 or -errno. */
static int describe(struct route_targets *t, const struct target *target, struct worker_request *ret)
{
	const struct registry_entry *e = registry_find(t->registry, target->id);
	const struct context_vars *vars;
	struct process process;
	int err = e && !e->ended ? kernel_get_image(t->kernel, target->key.pid, target->id, &process) :
				   -ESRCH;

	if (err || process.state != PROCESS_PYTHON)
		return err ?: -ESRCH;
	vars = contexts_get(kernel_contexts(t->kernel), process.contexts);
	if (!vars || !vars->trace.count)
		return -ESRCH;
	*ret = question_request(WORKER_ROUTES, target->key.pid, e->start_time);
	ret->routes.question = (struct routes_question){ .place = vars->trace };
	return kernel_get_layout(t->kernel, process.layout, &ret->routes.layout);
}

static void ask_routes(struct route_targets *t, struct target *target, __u64 now)
{
	const struct question q = { on_routes, t, NULL, 0, true };
	struct worker_request request;
	int err = describe(t, target, &request);

	if (err) {
		take_failure(t, target, err);
		return;
	}
	choose(t, target->id, now, &request.routes.question);
	err = questions_ask(t->questions, &q, &request);
	if (!err) {
		t->asked = target->share->turn = now;
		return;
	}
	for (__u32 i = 0; i < t->batch_count; i++)
		find_target(t, &t->batch[i])->due = now + AGAIN_NS;
}

/* What is lost for want of room, once each. */
static void warn(struct route_targets *t)
{
	const struct route_counts c = routes_counts(t->routes);

	if (c.left)
		complain(&t->left,
			 "spans have no route, as more than %d wait to be looked at, or one user has half of "
			 "these (/metrics: trace_routes_left_total)",
			 ROUTE_TARGETS_MAX);
	if (c.forgotten)
		complain(&t->forgotten,
			 "routes of spans go before --log says so, as there are more than %d: the oldest of "
			 "who has most (/metrics: trace_routes_forgotten_total)",
			 ROUTES_SPANS_MAX);
}

static void routes_on_turn(void *targets, unsigned int ready)
{
	struct route_targets *t = targets;
	const __u64 now = clock_ns();
	struct target *first;

	if (ready & LOOP_SECOND) {
		routes_forget(t->routes, now);
		warn(t);
	}
	if (t->asked || !t->targets || now < t->next_look || now < t->earliest)
		return;
	first = first_due(t, now);
	if (first->due <= now) {
		ask_routes(t, first, now);
		first = t->targets ? first_due(t, now) : NULL;
	}
	if (first)
		t->earliest = first->due;
}

static int routes_due_ms(void *targets)
{
	const struct route_targets *t = targets;
	const __u64 now = clock_ns(), due = t->earliest > t->next_look ? t->earliest : t->next_look;

	if (t->asked || !t->targets)
		return -1;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

int route_targets_watch(struct route_targets *t, struct loop *loop)
{
	return t ? loop_watch(loop, &(struct loop_row){ -1, routes_due_ms, routes_on_turn, t }) : 0;
}
