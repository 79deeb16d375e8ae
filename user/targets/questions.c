// SPDX-License-Identifier: GPL-2.0-only
#include "targets/questions.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "guard/worker.h"
#include "kern/kernel.h"

struct pending {
	__u64 tag;
	struct question question;
	UT_hash_handle hh;
};

struct questions {
	struct worker *worker;
	struct pending *pending;
	__u64 last_tag;
	size_t of_others; /* of the pending ones: those with answer() */
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

/* /proc counts a start time in ticks of USER_HZ, rounded down. */
static __u64 start_ticks(__u64 start_time)
{
	return start_time / (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
}

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_ticks(start_time) };
}

int questions_ask(struct questions *q, const struct question *about, struct worker_request *request)
{
	struct pending *p = malloc(sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->question = *about;
	p->tag = request->tag = ++q->last_tag;
	err = worker_send(q->worker, request);
	if (err) {
		free(p);
		return err;
	}
	HASH_ADD(hh, q->pending, tag, sizeof(p->tag), p);
	if (!p->hh.tbl) { /* the answer will find no question and be dropped */
		free(p);
		return -ENOMEM;
	}
	q->of_others += about->answer != NULL;
	return 0;
}

static void drop(struct questions *q, struct pending *p)
{
	q->of_others -= p->question.answer != NULL;
	HASH_DEL(q->pending, p);
	free(p);
}

bool questions_take(struct questions *q, __u64 tag, struct question *ret)
{
	struct pending *p;

	HASH_FIND(hh, q->pending, &tag, sizeof(tag), p);
	if (!p)
		return false;
	*ret = p->question;
	drop(q, p);
	return true;
}

void questions_forget_codes(struct questions *q, struct kernel_range codes)
{
	struct pending *p, *next;

	HASH_ITER(hh, q->pending, p, next)
		if (p->question.code >= codes.first && p->question.code < codes.end)
			p->question.code = 0;
}

void questions_forget_context(struct questions *q, const void *context)
{
	struct pending *p, *next;

	HASH_ITER(hh, q->pending, p, next)
		if (p->question.context == context)
			drop(q, p);
}

size_t questions_pending(const struct questions *q)
{
	return HASH_COUNT(q->pending) - q->of_others;
}
