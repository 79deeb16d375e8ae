// SPDX-License-Identifier: GPL-2.0-only
#include "base/job.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "base/cleanup.h"

/* More than the loop is: then it gets a third of the CPU time. At 10 the end of a run would take long. */
#define NICE 5

/* Both sides change the state once, by an exchange: who comes second knows of the first. */
enum { RUNNING, DONE, ABANDONED };

struct job {
	pthread_t thread;
	const struct job_kind *kind;
	void *context;
	int eventfd, state, error;
	bool stop;
};

void job_free(struct job *job)
{
	job->kind->free(job->context);
	free(job);
}

static void *run(void *context)
{
	struct job *job = context;

	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE); /* on Linux of this thread alone */
	job->error = job->kind->run(job->context, &job->stop);
	if (__atomic_exchange_n(&job->state, DONE, __ATOMIC_ACQ_REL) == ABANDONED)
		job_free(job);
	else
		eventfd_write(job->eventfd, 1); /* whoever abandons it now waits for this */
	return NULL;
}

int job_start(struct job **ret, const struct job_kind *kind, void *context, int eventfd)
{
	_cleanup_free_ struct job *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	*job = (struct job){ .kind = kind, .context = context, .eventfd = eventfd };
	err = pthread_create(&job->thread, NULL, run, job);
	if (err)
		return -err;
	*ret = TAKE_PTR(job);
	return 0;
}

bool job_is_done(const struct job *job)
{
	return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) == DONE;
}

int job_wait(struct job *job)
{
	pthread_join(job->thread, NULL);
	return job->error;
}

static void tell_to_stop(struct job *job)
{
	__atomic_store_n(&job->stop, true, __ATOMIC_RELAXED);
}

int job_stop(struct job *job)
{
	tell_to_stop(job);
	return job_wait(job);
}

void *job_context(const struct job *job)
{
	return job->context;
}

void job_abandon(struct job *job)
{
	pthread_t thread;

	if (!job)
		return;
	thread = job->thread; /* the job may be gone after the exchange */
	tell_to_stop(job);
	if (__atomic_exchange_n(&job->state, ABANDONED, __ATOMIC_ACQ_REL) == RUNNING) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	job_free(job);
}
