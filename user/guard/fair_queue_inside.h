/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_queue_inside.h - what fair_queue.c and fair_queue_capacity.c have in common: three tables, of users,
 * of their programs and of processes, which have those that ask and those that have used the worker lately.
 */
#ifndef PYPERF_GUARD_FAIR_QUEUE_INSIDE_H
#define PYPERF_GUARD_FAIR_QUEUE_INSIDE_H

#include "base/hash.h"
#include "guard/fair_queue.h"

struct queue_question {
	void *question;
	struct queue_question *next;
};

/* How much of the worker was used lately, and when that was last looked at. */
struct use {
	__u64 ms, at;
	__u64 turn; /* number of the last turn; 0 = had none */
	unsigned int waiting;
};

/* Questions who a process is have places of their own: the others must not keep it from being known. */
enum kind { IDENTITY, OTHER, KINDS };

struct queue_user {
	__u64 key;
	struct use use;
	unsigned int waiting[KINDS];
	bool oldest_next; /* of those of its processes that have used the worker alike */
	__u64 rest_until; /* no newcomer of it is asked about before, while it has used too much */
	UT_hash_handle hh;
};

struct program_key {
	__u64 user, file;
};

struct queue_program {
	struct program_key key;
	struct use use;
	unsigned int processes; /* in the table */
	UT_hash_handle hh;
};

struct process_key {
	__u64 user;
	__u32 pid, pad;
};

struct queue_process {
	struct process_key key;
	struct use use;
	__u64 start;
	struct queue_user *user;	 /* NULL when nothing waits */
	struct queue_program *program;	 /* NULL: not known, and then it counts as one of its own */
	struct queue_question *identity; /* one at most */
	struct queue_question *others;
	UT_hash_handle hh;
};

struct fair_queue {
	struct queue_user *users;
	struct queue_program *programs;
	struct queue_process *processes;
	struct queue_process *last; /* whose question was given last; NULL: it is not there any more */
	struct queue_user *last_user;
	bool last_was_excused; /* its user has used too much */
	size_t room, count[KINDS];
	__u64 turn;
};

/* Below 0: p's program and p have used the worker less than q's and q. Of one user. */
int fair_queue_compare_use(const struct queue_process *p, const struct queue_process *q);
/* Takes the first question of a kind out, of which there is one. */
void *fair_queue_take_out(struct fair_queue *t, struct queue_process *p, enum kind kind);

static inline __u64 fair_queue_steps(const struct use *use)
{
	return use->ms / QUEUE_STEP_MS;
}

#endif
