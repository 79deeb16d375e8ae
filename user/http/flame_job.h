/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame_job.h - a thread that encodes a flame graph: for a million stacks that takes seconds, in which the
 * event loop has other things to do.
 */
#ifndef PYPERF_HTTP_FLAME_JOB_H
#define PYPERF_HTTP_FLAME_JOB_H

#include "base/buf.h"
#include "profile/filter.h"

struct flame_job;

/*
 * Starts to encode the part of a profile that the filter selects. The profile is only read, and must stay as
 * it is until flame_job_end(). At the end 1 is added to the eventfd. 0 or -errno.
 */
int flame_job_start(struct flame_job **ret, const struct profile *p, const struct profile_filter *filter,
		    int eventfd);
bool flame_job_is_done(const struct flame_job *job);
const struct profile_filter *flame_job_filter(const struct flame_job *job);
/*
 * Waits for its end and frees it; one that is not done is stopped. What it has made is appended to out. 0 or
 * -errno: -ECANCELED if it was stopped.
 */
int flame_job_end(struct flame_job *job, struct buf *out);

#endif
