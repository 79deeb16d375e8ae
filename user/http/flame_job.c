// SPDX-License-Identifier: GPL-2.0-only
#include "http/flame_job.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "profile/flamegraph.h"

struct flame_job {
	pthread_t thread;
	const struct profile *profile;
	struct profile_filter filter;
	int eventfd;
	bool stop, done; /* the other thread sets these */
	struct buf out;
	int error;
};

static int encode(struct flame_job *job)
{
	_cleanup_profile_ struct profile *part = NULL;
	bool whole = profile_filter_is_empty(&job->filter);
	int err = whole ? 0 : profile_filter_apply(&job->filter, job->profile, &part);

	return err ?: flamegraph_encode_until(whole ? job->profile : part, &job->stop, &job->out);
}

static void *run(void *context)
{
	struct flame_job *job = context;

	job->error = encode(job);
	__atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
	eventfd_write(job->eventfd, 1);
	return NULL;
}

int flame_job_start(struct flame_job **ret, const struct profile *p, const struct profile_filter *filter,
		    int eventfd)
{
	_cleanup_free_ struct flame_job *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->profile = p;
	job->filter = *filter;
	job->eventfd = eventfd;
	err = pthread_create(&job->thread, NULL, run, job);
	if (err)
		return -err;
	*ret = TAKE_PTR(job);
	return 0;
}

bool flame_job_is_done(const struct flame_job *job)
{
	return __atomic_load_n(&job->done, __ATOMIC_ACQUIRE);
}

const struct profile_filter *flame_job_filter(const struct flame_job *job)
{
	return &job->filter;
}

int flame_job_end(struct flame_job *job, struct buf *out)
{
	int err;

	__atomic_store_n(&job->stop, true, __ATOMIC_RELAXED);
	pthread_join(job->thread, NULL);
	err = job->error ?: buf_add(out, job->out.data, job->out.size);
	buf_free(&job->out);
	free(job);
	return err;
}
