// SPDX-License-Identifier: GPL-2.0-only
#include "dump/relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "targets/questions.h"

/* The state of the question: there is one at most. */
enum { NONE, ASKED, PASSED_ON, ANSWERED };

struct relay {
	struct questions *questions;
	int eventfd;
	__u64 end_ns;	      /* CLOCK_MONOTONIC */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	int state;
	bool closed;
	struct worker_request request;
	struct worker_reply reply;
};

int relay_new(struct relay **ret, struct questions *questions, int eventfd, double seconds)
{
	struct relay *r = calloc(1, sizeof(*r));
	pthread_condattr_t attributes;

	if (!r)
		return -ENOMEM;
	r->questions = questions;
	r->eventfd = eventfd;
	r->end_ns = clock_ns() + (__u64)(seconds * NS_PER_SECOND);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	*ret = r;
	return 0;
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	relay_close(r);
	if (r->state == ANSWERED)
		free(r->reply.table);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* --- the thread ----------------------------------------------------------------------------------------- */

/* With the lock held: why nothing can be asked any more, or 0. */
static int why_over(const struct relay *r)
{
	if (r->closed)
		return -ECANCELED;
	return clock_ns() >= r->end_ns ? -ETIMEDOUT : 0;
}

bool relay_is_over(void *relay)
{
	struct relay *r = relay;
	bool over;

	pthread_mutex_lock(&r->lock);
	over = why_over(r);
	pthread_mutex_unlock(&r->lock);
	return over;
}

/* With the lock held, which it gives up meanwhile. 0, or why there is no answer. */
static int wait_for_answer(struct relay *r)
{
	const struct timespec end = { r->end_ns / NS_PER_SECOND, r->end_ns % NS_PER_SECOND };
	int err = 0;

	while (!err && r->state != ANSWERED) {
		pthread_cond_timedwait(&r->changed, &r->lock, &end);
		if (r->state != ANSWERED)
			err = why_over(r);
	}
	return err;
}

int relay_ask(void *relay, const struct worker_request *request, struct worker_reply *ret)
{
	struct relay *r = relay;
	int err;

	pthread_mutex_lock(&r->lock);
	err = why_over(r);
	if (!err) {
		r->request = *request;
		r->state = ASKED;
		eventfd_write(r->eventfd, 1);
		err = wait_for_answer(r);
	}
	if (!err) {
		*ret = r->reply;
		err = ret->error;
	}
	r->state = NONE; /* an answer that comes late finds that nobody waits for it */
	pthread_mutex_unlock(&r->lock);
	return err;
}

/* --- the event loop ------------------------------------------------------------------------------------- */

static void answer(void *relay, const void *note, struct worker_reply *reply)
{
	struct relay *r = relay;

	(void)note;
	pthread_mutex_lock(&r->lock);
	if (r->state == PASSED_ON) {
		r->reply = *reply;
		reply->table = NULL;
		r->state = ANSWERED;
		pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
}

bool relay_pass_on(struct relay *r)
{
	const struct question q = { .answer = answer, .asker = r, .uncounted = true };
	int err = 0;

	pthread_mutex_lock(&r->lock);
	if (r->state == ASKED) {
		err = questions_ask(r->questions, &q, &r->request);
		if (!err) {
			r->state = PASSED_ON;
		} else if (err != -EAGAIN) {
			r->reply = (struct worker_reply){ .error = err };
			r->state = ANSWERED;
			pthread_cond_signal(&r->changed);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return err == -EAGAIN;
}

void relay_close(struct relay *r)
{
	questions_forget(r->questions, r);
	pthread_mutex_lock(&r->lock);
	r->closed = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}
