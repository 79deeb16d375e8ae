/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode_job.h - a thread that encodes a profile: for a million stacks that takes seconds, in which the event
 * loop has other things to do.
 */
#ifndef PYPERF_HTTP_ENCODE_JOB_H
#define PYPERF_HTTP_ENCODE_JOB_H

#include "base/buf.h"
#include "profile/filter.h"
#include "profile/formats.h"

struct encode_job;

/*
 * Starts to encode the part of a profile that the filter selects, and takes the profile over. At the end 1 is
 * added to the eventfd. 0; or -errno, and then the profile is still the caller's.
 */
int encode_job_start(struct encode_job **ret, struct profile *p, const struct profile_filter *filter,
		     enum format format, int eventfd);
bool encode_job_is_done(const struct encode_job *job);
/* Waits for its end and frees it. What it has made is appended to out. 0 or -errno. */
int encode_job_end(struct encode_job *job, struct buf *out);
/* Nobody wants it any more: it frees itself when it is done, and leaves the eventfd alone. NULL is fine. */
void encode_job_abandon(struct encode_job *job);

#endif
