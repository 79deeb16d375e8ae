// SPDX-License-Identifier: GPL-2.0-only
#include "targets/questions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "guard/worker.h"

struct pending {
	__u64 tag;
	struct question question;
	UT_hash_handle hh;
	char note[] __attribute__((aligned(8)));
};

struct questions {
	struct worker *worker;
	struct pending *pending;
	__u64 last_tag;
	size_t uncounted; /* of the pending ones */
};

int questions_new(struct questions **ret, struct worker *worker)
{
	struct questions *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->worker = worker;
	*ret = q;
	return 0;
}

void questions_free(struct questions *q)
{
	struct pending *p, *next;

	if (!q)
		return;
	HASH_ITER(hh, q->pending, p, next) {
		HASH_DEL(q->pending, p);
		free(p);
	}
	free(q);
}

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = clock_ticks_of(start_time) };
}

/* The question is pending no more; the caller frees it. */
static void take_out(struct questions *q, struct pending *p)
{
	q->uncounted -= p->question.uncounted;
	HASH_DEL(q->pending, p);
}

/* It gets no answer: who a process is will be asked again. */
static void drop(struct questions *q, __u64 tag)
{
	struct pending *p = NULL;

	if (tag)
		HASH_FIND(hh, q->pending, &tag, sizeof(tag), p);
	if (!p)
		return;
	take_out(q, p);
	free(p);
}

int questions_ask(struct questions *q, const struct question *question, struct worker_request *request)
{
	struct pending *p = malloc(sizeof(*p) + question->note_size);
	int err;

	if (!p)
		return -ENOMEM;
	p->question = *question;
	if (question->note) {
		memcpy(p->note, question->note, question->note_size);
		p->question.note = p->note;
	}
	p->tag = request->tag = ++q->last_tag;
	err = worker_send(q->worker, request);
	if (err) {
		free(p);
		return err;
	}
	drop(q, worker_take_dropped(q->worker));
	HASH_ADD(hh, q->pending, tag, sizeof(p->tag), p);
	if (!p->hh.tbl) { /* the answer will find no question and be dropped */
		free(p);
		return -ENOMEM;
	}
	q->uncounted += question->uncounted;
	return 0;
}

bool questions_answer(struct questions *q, struct worker_reply *reply)
{
	struct pending *p;

	HASH_FIND(hh, q->pending, &reply->tag, sizeof(reply->tag), p);
	if (!p)
		return false;
	take_out(q, p); /* before the answer: it may ask again, and look how much is pending */
	p->question.answer(p->question.asker, p->question.note, reply);
	free(p);
	return true;
}

void questions_forget(struct questions *q, const void *asker)
{
	struct pending *p, *next;

	HASH_ITER(hh, q->pending, p, next) {
		if (p->question.asker != asker)
			continue;
		take_out(q, p);
		free(p);
	}
}

void questions_each(struct questions *q, const void *asker, void (*on_note)(void *context, void *note),
		    void *context)
{
	for (struct pending *p = q->pending; p; p = p->hh.next)
		if (p->question.asker == asker)
			on_note(context, p->note);
}

size_t questions_pending(const struct questions *q)
{
	return HASH_COUNT(q->pending) - q->uncounted;
}
