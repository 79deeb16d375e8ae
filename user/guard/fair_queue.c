// SPDX-License-Identifier: GPL-2.0-only
/*
 * fair_queue.c - who is next, and what it has used. There are at most as many users, programs and processes
 * as places for questions and, since use goes down, some more. So each choice looks at all of them.
 */
#include "guard/fair_queue.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "guard/fair_queue_inside.h"

int fair_queue_new(struct fair_queue **ret, size_t room)
{
	struct fair_queue *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->room = room;
	*ret = t;
	return 0;
}

static void remove_user(struct fair_queue *t, struct queue_user *u)
{
	HASH_DEL(t->users, u);
	free(u);
}

static void remove_program(struct fair_queue *t, struct queue_program *p)
{
	HASH_DEL(t->programs, p);
	free(p);
}

static void remove_process(struct fair_queue *t, struct queue_process *p)
{
	if (p->program)
		p->program->processes--;
	HASH_DEL(t->processes, p);
	free(p);
}

void fair_queue_free(struct fair_queue *t)
{
	struct queue_process *p, *next_process;
	struct queue_program *g, *next_program;
	struct queue_user *u, *next_user;

	if (!t)
		return;
	HASH_ITER(hh, t->processes, p, next_process)
		remove_process(t, p);
	HASH_ITER(hh, t->programs, g, next_program)
		remove_program(t, g);
	HASH_ITER(hh, t->users, u, next_user)
		remove_user(t, u);
	free(t);
}

/* --- whose turn it is ----------------------------------------------------------------------------------- */

static void leak(struct use *use, __u64 now)
{
	const __u64 ms = now > use->at ? (now - use->at) / QUEUE_LEAK : 0;

	if (!use->ms || use->ms <= ms) {
		use->ms = 0;
		use->at = now;
	} else {
		use->ms -= ms;
		use->at += ms * QUEUE_LEAK;
	}
}

/* Those who ask nothing and have used nothing lately are forgotten. */
static void refresh(struct fair_queue *t, __u64 now)
{
	struct queue_process *p, *next_process;
	struct queue_program *g, *next_program;
	struct queue_user *u, *next_user;

	HASH_ITER(hh, t->processes, p, next_process) {
		leak(&p->use, now);
		if (!p->use.waiting && !p->use.ms && p != t->last)
			remove_process(t, p);
	}
	HASH_ITER(hh, t->programs, g, next_program) {
		leak(&g->use, now);
		if (!g->processes && !g->use.ms)
			remove_program(t, g);
	}
	HASH_ITER(hh, t->users, u, next_user) {
		leak(&u->use, now);
		if (!u->use.waiting && !u->use.ms && u != t->last_user)
			remove_user(t, u);
	}
}

/* Below 0: x goes before y. */
static int compare(const struct use *x, const struct use *y)
{
	const __u64 a = fair_queue_steps(x), b = fair_queue_steps(y);

	if (a != b)
		return a < b ? -1 : 1;
	return (x->turn > y->turn) - (x->turn < y->turn);
}

/* Of one user. */
static bool goes_before_other(const struct queue_process *p, const struct queue_process *q)
{
	const int order = fair_queue_compare_use(p, q);

	if (order)
		return order < 0;
	if (p->user->oldest_next || p->start == q->start)
		return p->use.turn < q->use.turn;
	return p->start > q->start;
}

static bool goes_before(const struct queue_process *p, const struct queue_process *q)
{
	if (p->user == q->user)
		return goes_before_other(p, q);
	return compare(&p->user->use, &q->user->use) < 0;
}

static bool is_newcomer(const struct queue_process *p)
{
	return p->identity && p->use.ms < QUEUE_NEWCOMER_MS;
}

/* When it may have its turn: now, or later. */
static __u64 due_at(const struct queue_process *p, __u64 now)
{
	const struct queue_user *u = p->user;
	__u64 leaked;

	if (u->use.ms < QUEUE_BUDGET_MS)
		return now;
	leaked = now + (u->use.ms - QUEUE_BUDGET_MS + 1) * QUEUE_LEAK;
	if (!is_newcomer(p) || u->rest_until > leaked)
		return leaked;
	return u->rest_until > now ? u->rest_until : now;
}

static struct queue_process *choose(struct fair_queue *t, __u64 now)
{
	struct queue_process *best = NULL;

	for (struct queue_process *p = t->processes; p; p = p->hh.next)
		if (p->use.waiting && due_at(p, now) == now && (!best || goes_before(p, best)))
			best = p;
	return best;
}

/* Once the newest of its processes had its turn, the next one is of who waits for longest, and so on. */
static void *take(struct fair_queue *t, struct queue_process *p)
{
	void *question;

	t->last = p;
	t->last_user = p->user;
	t->last_was_excused = p->user->use.ms >= QUEUE_BUDGET_MS;
	question = fair_queue_take_out(t, p, p->identity ? IDENTITY : OTHER);
	p->use.turn = p->user->use.turn = ++t->turn;
	p->user->oldest_next = !p->user->oldest_next;
	return question;
}

void *fair_queue_next(struct fair_queue *t, __u64 now)
{
	struct queue_process *p;

	t->last = NULL;
	t->last_user = NULL;
	refresh(t, now);
	p = choose(t, now);
	return p ? take(t, p) : NULL;
}

void *fair_queue_take(struct fair_queue *t)
{
	for (struct queue_process *p = t->processes; p; p = p->hh.next)
		if (p->use.waiting)
			return take(t, p);
	return NULL;
}

/* Nobody has to account for the first of it, but it counts among the processes of one user. */
void fair_queue_used(struct fair_queue *t, __u64 now, __u64 ms, bool failed)
{
	const __u64 times = failed ? QUEUE_FAILED : 1;

	if (!t->last)
		return;
	refresh(t, now);
	t->last->use.ms += ms * times;
	if (t->last->program)
		t->last->program->use.ms += ms * times;
	t->last_user->use.ms += ms > QUEUE_FREE_MS ? (ms - QUEUE_FREE_MS) * times : 0;
	if (t->last_was_excused)
		t->last_user->rest_until = now + ms * QUEUE_REST;
	t->last = NULL;
	t->last_user = NULL;
}

int fair_queue_due(struct fair_queue *t, __u64 now)
{
	__u64 least = ULLONG_MAX;

	refresh(t, now);
	for (struct queue_process *p = t->processes; p; p = p->hh.next) {
		const __u64 at = p->use.waiting ? due_at(p, now) : ULLONG_MAX;

		least = at < least ? at : least;
	}
	return least == ULLONG_MAX ? -1 : (int)(least - now);
}
