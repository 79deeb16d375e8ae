// SPDX-License-Identifier: GPL-2.0-only
#include "http/encode_job.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"

/* Both sides change the state once, by an exchange: who comes second knows of the first. */
enum { RUNNING, ENCODED, ABANDONED };

struct encode_job {
	pthread_t thread;
	struct profile *profile;
	struct profile_filter filter;
	enum format format;
	int eventfd, state, error;
	struct buf out;
};

static void free_job(struct encode_job *job)
{
	profile_free(job->profile);
	buf_free(&job->out);
	free(job);
}

static int encode(struct encode_job *job)
{
	_cleanup_profile_ struct profile *part = NULL;
	bool whole = profile_filter_is_empty(&job->filter);
	int err = whole ? 0 : profile_filter_apply(&job->filter, job->profile, &part);

	return err ?: format_rows[job->format].encode(whole ? job->profile : part, &job->out);
}

static void *run(void *context)
{
	struct encode_job *job = context;

	job->error = encode(job);
	if (__atomic_exchange_n(&job->state, ENCODED, __ATOMIC_ACQ_REL) == ABANDONED)
		free_job(job);
	else
		eventfd_write(job->eventfd, 1); /* whoever abandons it now waits for this */
	return NULL;
}

int encode_job_start(struct encode_job **ret, struct profile *p, const struct profile_filter *filter,
		     enum format format, int eventfd)
{
	_cleanup_free_ struct encode_job *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->profile = p;
	job->filter = *filter;
	job->format = format;
	job->eventfd = eventfd;
	err = pthread_create(&job->thread, NULL, run, job);
	if (err)
		return -err;
	*ret = TAKE_PTR(job);
	return 0;
}

bool encode_job_is_done(const struct encode_job *job)
{
	return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) == ENCODED;
}

int encode_job_end(struct encode_job *job, struct buf *out)
{
	int err;

	pthread_join(job->thread, NULL);
	err = job->error ?: buf_add(out, job->out.data, job->out.size);
	free_job(job);
	return err;
}

void encode_job_abandon(struct encode_job *job)
{
	pthread_t thread;

	if (!job)
		return;
	thread = job->thread; /* the job may be gone after the exchange */
	if (__atomic_exchange_n(&job->state, ABANDONED, __ATOMIC_ACQ_REL) == RUNNING) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	free_job(job);
}
