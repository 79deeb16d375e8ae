// SPDX-License-Identifier: GPL-2.0-only
/*
 * turns.c - two tables, of users and of processes, which have those that ask and those that have used the
 * worker lately. There are at most as many as places for questions and, since use goes down, some more. So
 * each choice looks at all of them.
 */
#include "guard/turns.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/hash.h"

struct question {
	void *question;
	struct question *next;
};

/* How much of the worker was used lately, and when that was last looked at. */
struct use {
	__u64 ms, at;
	__u64 turn; /* number of the last turn; 0 = had none */
	unsigned int waiting;
};

struct user {
	__u64 key;
	struct use use;
	UT_hash_handle hh;
};

struct process_key {
	__u64 user;
	__u32 pid, pad;
};

struct process {
	struct process_key key;
	struct use use;
	struct user *user; /* NULL when nothing waits */
	struct question *identity, *others;
	UT_hash_handle hh;
};

struct turns {
	struct user *users;
	struct process *processes;
	struct process *last; /* whose question was given last; NULL: it is not there any more */
	struct user *last_user;
	size_t room, count;
	__u64 turn;
};

int turns_new(struct turns **ret, size_t room)
{
	struct turns *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->room = room;
	*ret = t;
	return 0;
}

static void remove_user(struct turns *t, struct user *u)
{
	HASH_DEL(t->users, u);
	free(u);
}

static void remove_process(struct turns *t, struct process *p)
{
	HASH_DEL(t->processes, p);
	free(p);
}

void turns_free(struct turns *t)
{
	struct process *p, *next_process;
	struct user *u, *next_user;

	if (!t)
		return;
	HASH_ITER(hh, t->processes, p, next_process)
		remove_process(t, p);
	HASH_ITER(hh, t->users, u, next_user)
		remove_user(t, u);
	free(t);
}

/* --- who asks ------------------------------------------------------------------------------------------- */

static struct user *get_user(struct turns *t, __u64 key)
{
	struct user *u;

	HASH_FIND(hh, t->users, &key, sizeof(key), u);
	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->key = key;
	HASH_ADD(hh, t->users, key, sizeof(u->key), u);
	if (u->hh.tbl)
		return u;
	free(u);
	return NULL;
}

static struct process *get_process(struct turns *t, const struct turns_of *of)
{
	const struct process_key key = { of->user, of->pid, 0 };
	struct process *p;

	HASH_FIND(hh, t->processes, &key, sizeof(key), p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->key = key;
	HASH_ADD(hh, t->processes, key, sizeof(p->key), p);
	if (p->hh.tbl)
		return p;
	free(p);
	return NULL;
}

/* The question who it is finds a place also where the others have taken all. */
static bool has_room(const struct turns *t, const struct user *u, const struct process *p, bool identity)
{
	const unsigned int most = TURNS_OF_PROCESS + (identity ? 1 : 0);

	return u->use.waiting < t->room - t->count && p->use.waiting < most;
}

int turns_add(struct turns *t, const struct turns_of *of, void *question)
{
	struct question *q = calloc(1, sizeof(*q));
	struct process *p = q ? get_process(t, of) : NULL;
	struct user *u = p ? get_user(t, of->user) : NULL;

	if (!u || !has_room(t, u, p, of->identity)) {
		free(q);
		return u ? -EAGAIN : -ENOMEM;
	}
	q->question = question;
	if (of->identity)
		LL_APPEND(p->identity, q);
	else
		LL_APPEND(p->others, q);
	p->user = u;
	p->use.waiting++;
	u->use.waiting++;
	t->count++;
	return 0;
}

/* --- whose turn it is ----------------------------------------------------------------------------------- */

static void leak(struct use *use, __u64 now)
{
	const __u64 ms = now > use->at ? (now - use->at) / TURNS_LEAK : 0;

	if (!use->ms || use->ms <= ms) {
		use->ms = 0;
		use->at = now;
	} else {
		use->ms -= ms;
		use->at += ms * TURNS_LEAK;
	}
}

/* Those who ask nothing and have used nothing lately are forgotten. */
static void refresh(struct turns *t, __u64 now)
{
	struct process *p, *next_process;
	struct user *u, *next_user;

	HASH_ITER(hh, t->processes, p, next_process) {
		leak(&p->use, now);
		if (!p->use.waiting && !p->use.ms && p != t->last)
			remove_process(t, p);
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
	const __u64 a = x->ms / TURNS_STEP_MS, b = y->ms / TURNS_STEP_MS;

	if (a != b)
		return a < b ? -1 : 1;
	return (x->turn > y->turn) - (x->turn < y->turn);
}

static bool goes_before(const struct process *p, const struct process *q)
{
	if (p->user == q->user)
		return compare(&p->use, &q->use) < 0;
	return compare(&p->user->use, &q->user->use) < 0;
}

static struct process *choose(struct turns *t)
{
	struct process *best = NULL;

	for (struct process *p = t->processes; p; p = p->hh.next)
		if (p->use.waiting && p->user->use.ms < TURNS_BUDGET_MS && (!best || goes_before(p, best)))
			best = p;
	return best;
}

static void *take(struct turns *t, struct process *p)
{
	struct question **list = p->identity ? &p->identity : &p->others, *q = *list;
	void *question = q->question;

	LL_DELETE(*list, q);
	free(q);
	t->last = p;
	t->last_user = p->user;
	p->user->use.waiting--;
	p->use.waiting--;
	t->count--;
	p->use.turn = p->user->use.turn = ++t->turn;
	return question;
}

void *turns_next(struct turns *t, __u64 now)
{
	struct process *p;

	t->last = NULL;
	t->last_user = NULL;
	refresh(t, now);
	p = choose(t);
	return p ? take(t, p) : NULL;
}

void *turns_take(struct turns *t)
{
	for (struct process *p = t->processes; p; p = p->hh.next)
		if (p->use.waiting)
			return take(t, p);
	return NULL;
}

void turns_used(struct turns *t, __u64 now, __u64 ms, bool failed)
{
	ms = ms > TURNS_FREE_MS ? ms - TURNS_FREE_MS : 0;
	if (failed)
		ms *= TURNS_FAILED;
	if (!t->last)
		return;
	refresh(t, now);
	t->last->use.ms += ms;
	t->last_user->use.ms += ms;
	t->last = NULL;
	t->last_user = NULL;
}

int turns_due(struct turns *t, __u64 now)
{
	__u64 least = ULLONG_MAX;

	refresh(t, now);
	for (struct user *u = t->users; u; u = u->hh.next)
		if (u->use.waiting && u->use.ms < least)
			least = u->use.ms;
	if (least == ULLONG_MAX)
		return -1;
	return least < TURNS_BUDGET_MS ? 0 : (int)((least - TURNS_BUDGET_MS + 1) * TURNS_LEAK);
}
