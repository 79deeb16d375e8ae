// SPDX-License-Identifier: GPL-2.0-only
/* fair_queue_capacity.c - who asks, and who may have one more question wait. */
#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "guard/fair_queue_inside.h"

static struct queue_user *get_user(struct fair_queue *t, __u64 key)
{
	struct queue_user *u;

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

static struct queue_process *get_process(struct fair_queue *t, const struct queue_asker *of)
{
	const struct process_key key = { of->user, of->pid, 0 };
	struct queue_process *p;

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

static struct queue_program *get_program(struct fair_queue *t, const struct queue_asker *of)
{
	const struct program_key key = { of->user, of->program };
	struct queue_program *g;

	HASH_FIND(hh, t->programs, &key, sizeof(key), g);
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->key = key;
	HASH_ADD(hh, t->programs, key, sizeof(g->key), g);
	if (g->hh.tbl)
		return g;
	free(g);
	return NULL;
}

/* What it runs may be another program than before. 0 or -ENOMEM. */
static int set_program(struct fair_queue *t, struct queue_process *p, const struct queue_asker *of)
{
	struct queue_program *g = of->program ? get_program(t, of) : NULL;

	if (!of->program)
		return 0;
	if (!g)
		return -ENOMEM;
	if (p->program)
		p->program->processes--;
	g->processes++;
	p->program = g;
	return 0;
}

static void count(struct fair_queue *t, struct queue_process *p, enum kind kind, int by)
{
	p->use.waiting += by;
	p->user->use.waiting += by;
	p->user->waiting[kind] += by;
	t->count[kind] += by;
}

void *fair_queue_take_out(struct fair_queue *t, struct queue_process *p, enum kind kind)
{
	struct queue_question **list = kind == IDENTITY ? &p->identity : &p->others, *q = *list;
	void *question = q->question;

	LL_DELETE(*list, q);
	free(q);
	count(t, p, kind, -1);
	return question;
}

static bool has_room(const struct fair_queue *t, const struct queue_user *u, const struct queue_process *p,
		     enum kind kind)
{
	if (kind == OTHER && p->use.waiting - !!p->identity >= QUEUE_OF_PROCESS)
		return false;
	return u->waiting[kind] < t->room - t->count[kind];
}

static const struct use *use_of_program(const struct queue_process *p)
{
	return p->program ? &p->program->use : &p->use;
}

int fair_queue_compare_use(const struct queue_process *p, const struct queue_process *q)
{
	const __u64 x = use_of_program(p)->ms / QUEUE_PROGRAM_MS;
	const __u64 y = use_of_program(q)->ms / QUEUE_PROGRAM_MS;
	const __u64 a = fair_queue_steps(&p->use), b = fair_queue_steps(&q->use);

	return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

/* It has used more, or as much and began sooner. */
static bool is_behind(const struct queue_process *p, const struct queue_process *q)
{
	const int order = fair_queue_compare_use(p, q);

	return order > 0 || (!order && p->start < q->start);
}

/* Whose place goes to p, of the processes of this user: who has used most, and then who began first. */
static struct queue_process *find_last(const struct fair_queue *t, const struct queue_process *p,
				       const struct queue_user *u)
{
	struct queue_process *last = NULL;

	for (struct queue_process *q = t->processes; q; q = q->hh.next)
		if (q->identity && q->user == u && (!last || is_behind(q, last)))
			last = q;
	return last && is_behind(last, p) ? last : NULL;
}

/*
 * The question who a process is is asked once, by what was known last. Where its user has no more places, it
 * takes that of another process, unless who asks is patient. 0 or -EAGAIN.
 */
static int make_room(struct fair_queue *t, struct queue_process *p, struct queue_user *u, bool patient,
		     void **ret_displaced)
{
	struct queue_process *last = p->identity ? p : NULL;

	if (!last && has_room(t, u, p, IDENTITY))
		return 0;
	if (!last && !patient)
		last = find_last(t, p, u);
	if (!last)
		return -EAGAIN;
	*ret_displaced = fair_queue_take_out(t, last, IDENTITY);
	return 0;
}

static int find_place(struct fair_queue *t, const struct queue_asker *of, struct queue_process *p,
		      struct queue_user *u, void **ret_displaced)
{
	if (!of->identity)
		return has_room(t, u, p, OTHER) ? 0 : -EAGAIN;
	p->start = of->start;
	return set_program(t, p, of) ?: make_room(t, p, u, of->patient, ret_displaced);
}

int fair_queue_add(struct fair_queue *t, const struct queue_asker *of, void *question, void **ret_displaced)
{
	struct queue_question *q = calloc(1, sizeof(*q));
	struct queue_process *p = q ? get_process(t, of) : NULL;
	struct queue_user *u = p ? get_user(t, of->user) : NULL;
	int err = u ? find_place(t, of, p, u, ret_displaced) : -ENOMEM;

	if (err) {
		free(q);
		return err;
	}
	q->question = question;
	if (of->identity)
		LL_APPEND(p->identity, q);
	else
		LL_APPEND(p->others, q);
	p->user = u;
	count(t, p, of->identity ? IDENTITY : OTHER, 1);
	return 0;
}
