/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * questions.h - what the worker has been asked and has not answered yet. Each question has a tag, which comes
 * back with the answer, and remembers what the answer is for.
 */
#ifndef PYPERF_TARGETS_QUESTIONS_H
#define PYPERF_TARGETS_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

struct kernel_range;
struct worker;
struct worker_reply;
struct worker_request;

struct question {
	struct record_process process; /* IDENTIFY: the process as the kernel side saw it */
	__u32 process_id; /* the others: struct process.id of the process */
	__u32 code; /* CAPTURE and TABLE: number of the code object; 0 = it means another by now */
	__u64 fingerprint, table; /* CAPTURE: how the object looked when the kernel side read it */
	__s32 first_line;
	__u32 file;   /* FUNCTIONS and ROWS: number of the file, natives_file() */
	__u32 region; /* ROWS: of the file */
	__u32 space;  /* FUNCTIONS and ROWS: struct process.space at that time, ... */
	__u64 pc;     /* ... and an address in the mapping. MAPS has this one, too. */
	/* Who gets the answer, and may take its table; NULL = those in targets/, by the type. */
	void (*answer)(void *context, struct worker_reply *reply);
	void *context;
};

struct questions;

/* Borrows the worker. 0 or -ENOMEM. */
int questions_new(struct questions **ret, struct worker *worker);
void questions_free(struct questions *q); /* NULL is fine */

/* A request of this type (enum worker_type) about the process that began start_time ns after boot. */
struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time);

/*
 * Sends the request under a new tag and remembers what it is about. 0, or -errno and there is no question:
 * -EAGAIN when the worker's queue is full, -ENOMEM.
 */
int questions_ask(struct questions *q, const struct question *about, struct worker_request *request);
/* The question of this tag, which is answered and so no longer pending. False: there is none. */
bool questions_take(struct questions *q, __u64 tag, struct question *ret);
/* These numbers of code objects mean others from now on: questions about them get code 0. */
void questions_forget_codes(struct questions *q, struct kernel_range codes);
/* Nobody waits any more for the answers that are for this context, which is not NULL. */
void questions_forget_context(struct questions *q, const void *context);
/* How many are not answered yet, of those without answer(). */
size_t questions_pending(const struct questions *q);

#endif
