/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_queue.h - in which order the worker is asked what waits for it. Whoever runs many processes, or files
 * that take long to read, must not keep it from the processes of others.
 *
 * - Next is a question of the user who has used the worker least lately; of users who have used it alike, of
 *   the one who has waited longest.
 * - Of one user it is one of the program that has used it least lately, and of this program one of the
 *   process that has. Of processes that have used it alike the one that began last is next, and then the one
 *   that has waited longest, in turn: so neither a crowd nor those who come later keep a new one waiting.
 * - Of one process the question who it is goes first; else they are in order.
 * - A user who has used it too much lately waits, even if nobody else asks, but for the question who his new
 *   processes are: those have a third of the time.
 *
 * It knows no clock and asks nothing: times are the caller's, in ms, and only go up.
 */
#ifndef PYPERF_GUARD_FAIR_QUEUE_H
#define PYPERF_GUARD_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* What answers have taken, in ms, goes down by one in so many ms. */
#define QUEUE_LEAK	 4
#define QUEUE_FREE_MS	 20	/* of each answer, which nobody has to account for */
#define QUEUE_STEP_MS	 100	/* who differs by less has used it alike, and of programs */
#define QUEUE_PROGRAM_MS 1000
#define QUEUE_BUDGET_MS	 10000	/* of a user, who waits from there on */
#define QUEUE_FAILED	 4	/* an answer that ended the worker counts so many times as long */
#define QUEUE_NEWCOMER_MS 500	/* a process is new that has used less */
#define QUEUE_REST	 2	/* such a one of a user who has to wait is asked about after a rest: that
				 * many times what the last one took */
#define QUEUE_OF_PROCESS 16	/* questions that may wait */

struct fair_queue;

/* Who asks. */
struct queue_asker {
	__u64 user; /* owner_of() */
	__u32 pid;
	bool identity; /* it is the question who the process is: only then the others say something */
	__u64 start;   /* when the process began, in any unit */
	__u64 program; /* which program it runs, 0 = not known */
	bool patient;  /* takes no other process's place */
};

/* Room for so many questions who a process is, and for as many others. 0 or -ENOMEM. */
int fair_queue_new(struct fair_queue **ret, size_t room);
void fair_queue_free(struct fair_queue *t); /* NULL is fine; the questions must have been taken */

/*
 * A question waits from now on. *ret_displaced is another one that does not wait any more, else it is
 * untouched: who the process is was asked before, or its user has no more places and an older process has
 * given its own. 0; -EAGAIN: the process has as many as it may have, or the user has as many as there are
 * free places, and none of his gives one; -ENOMEM.
 */
int fair_queue_add(struct fair_queue *t, const struct queue_asker *of, void *question, void **ret_displaced);
/* Takes the next question out. NULL: there is none, or each one's user has to wait. */
void *fair_queue_next(struct fair_queue *t, __u64 now);
/* The answer to what fair_queue_next() gave last took so long; failed: it ended the worker. */
void fair_queue_used(struct fair_queue *t, __u64 now, __u64 ms, bool failed);
/* In how many ms fair_queue_next() has one; 0 = now, -1 = nothing waits. */
int fair_queue_due(struct fair_queue *t, __u64 now);
/* Takes any question out, in the end. NULL: there are no more. */
void *fair_queue_take(struct fair_queue *t);

#endif
