/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * questions.h - what the worker has been asked and has not answered yet. Whoever asks says who gets the
 * answer, and may leave a note of what it is about: a structure of the asker's own, which comes back with the
 * answer.
 */
#ifndef PYPERF_TARGETS_QUESTIONS_H
#define PYPERF_TARGETS_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct worker;
struct worker_reply;
struct worker_request;

/* The receiver of an answer. */
struct question {
	/*
	 * Gets the answer, whatever became of it, in a later turn of the loop. It may take the reply's table,
	 * and then sets it to NULL. The note is gone afterwards. The question who a process is that is not
	 * known yet may be displaced by a later one (guard/fair_queue.h) and is not answered then, since that
	 * will be asked again.
	 */
	void (*answer)(void *asker, const void *note, struct worker_reply *reply);
	void *asker;	  /* has to be there until then, or calls questions_forget() */
	const void *note; /* copied; NULL = there is none */
	size_t note_size;
	bool uncounted; /* nobody who waits for all that is pending waits for this */
};

struct questions;

/* Borrows the worker. 0 or -ENOMEM. */
int questions_new(struct questions **ret, struct worker *worker);
/* NULL is fine. Nothing that is pending is answered any more. */
void questions_free(struct questions *q);

/* A request of this type (enum worker_type) about the process that began start_time ns after boot. */
struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time);

/*
 * Sends the request under a new tag. 0, or -errno and there is no question: -EAGAIN when the worker's queue
 * is full, -ENOMEM.
 */
int questions_ask(struct questions *q, const struct question *question, struct worker_request *request);
/* Hands a reply to whoever asked. False: nobody did, or they have forgotten it. */
bool questions_answer(struct questions *q, struct worker_reply *reply);
/* Nobody waits any more for the answers of this asker, which is not NULL. */
void questions_forget(struct questions *q, const void *asker);
/* Goes over the notes of all that this asker waits for. They may be changed. */
void questions_each(struct questions *q, const void *asker, void (*on_note)(void *context, void *note),
		    void *context);
/* How many are not answered yet, without those that are not counted. */
size_t questions_pending(const struct questions *q);

#endif
