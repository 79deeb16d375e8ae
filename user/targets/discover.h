/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discover.h - answers the kernel side's questions: is this process Python, and with which layout? What is
 * this code object called? Whatever touches a process is asked of the worker and answered later. discover.c
 * joins those who do: it passes each record on to the one who takes its type.
 */
#ifndef PYPERF_TARGETS_DISCOVER_H
#define PYPERF_TARGETS_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"
#include "kern/banks.h"

struct discover;
struct kernel;
struct kubelet;
struct loop;
struct questions;
struct registry;
struct selection;
struct verdicts;
struct worker;

/* The objects that discovery works with. All borrowed. */
struct discover_parts {
	struct kernel *kernel;
	struct worker *worker;
	struct registry *registry;
	const struct selection *selection;
	bool programs;		 /* those that are no Python are profiled, too */
	struct kubelet *kubelet; /* is told of each pod that is met; may be NULL */
};

/* 0 or -ENOMEM. */
int discover_new(struct discover **ret, const struct discover_parts *parts);
void discover_free(struct discover *d); /* NULL is fine */

/* A record of the kernel side's ring buffer; fits kernel_on_record(). Always 0. */
int discover_record(void *discover, void *record, size_t size);
/*
 * Tells the kernel side that a process is to be profiled, if it turns out to be Python: the verdict on it
 * comes later. 0, or -errno of kernel_set_process().
 */
int discover_want(struct discover *d, const struct record_process *p);
/*
 * The occasions on which a room above this one takes part. A room leaves those NULL that it has no use for.
 */
struct discover_subject {
	/* Answers of the worker were handed out: there may be room for other questions. */
	void (*answered)(void *subject);
	/* How much waits to be asked. */
	size_t (*waiting)(const void *subject);
	/* A profile is to be made of what was counted until now. False: nothing for it is on its way. */
	bool (*catch_up)(void *subject);
	/* A bank of the call tree was cleared: these numbers of code objects mean others from now on. */
	void (*forget_codes)(void *subject, struct kernel_range codes);
	/* How full is what only the clearing of banks makes room in: 0 to 1. */
	double (*fullness)(const void *subject);
	void *subject;
};

/* 0, or -ENOSPC. The subject has to be there as long as anything is asked of d. */
int discover_join(struct discover *d, const struct discover_subject *subject);

/* What was decided about processes: verdicts_find(), verdicts_ask() and more. */
struct verdicts *discover_verdicts(const struct discover *d);
/* By which others ask the worker, too. */
struct questions *discover_questions(const struct discover *d);
/*
 * From now on records of this type go to take(), if they have as many bytes. One that is too short for its
 * type is dropped.
 */
void discover_on_record(struct discover *d, enum record_type type, size_t bytes_min,
			void (*take)(void *subject, const void *record, size_t size), void *subject);
/* Takes what the worker has answered, and asks what it had no room for. */
void discover_replies(struct discover *d);
/* Adds the row that does so, and that ends a worker whose answer is late. 0 or -errno of loop_watch(). */
int discover_watch_answers(struct discover *d, struct loop *loop);
/*
 * Adds the rows of what is to be done each second, or when it is due: containers_watch(), recover_watch(),
 * newcomers_watch(), verdicts_watch(). They come after those of the kernel side's records and of the
 * worker's answers. 0 or -errno of loop_watch().
 */
int discover_watch(struct discover *d, struct loop *loop);
/* These numbers of code objects mean others from now on: answers about them are dropped. */
void discover_forget_codes(struct discover *d, struct kernel_range codes);
/* How full is what the clearing of a bank would make room in: 0 to 1. */
double discover_fullness(const struct discover *d);
/*
 * Before a profile of what was counted until now is made: reads the records, which have its names, and asks
 * for the lines and names of its native code, if these are wanted. False: none of these is on its way.
 */
bool discover_catch_up(struct discover *d);
/* How many questions are not answered yet, or wait to be asked. */
size_t discover_pending(const struct discover *d);

#endif
