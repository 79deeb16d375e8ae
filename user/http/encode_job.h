/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode_job.h - a thread (base/job.h) that encodes a profile: for a million stacks that takes seconds.
 */
#ifndef PYPERF_HTTP_ENCODE_JOB_H
#define PYPERF_HTTP_ENCODE_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "formats/formats.h"
#include "profile/filter.h"
#include "profile/trace_ids.h"

struct job;

/* Formats that are asked for by a page of their own, behind those of enum format. */
enum encode_format {
	ENCODE_GRAPH = FORMATS,
	ENCODE_HEAT,
	ENCODE_REPORT,
	ENCODE_FORMATS
};

/* A profile of one trace as `pyperf-bpf report --trace` shows it. */
struct report_wish {
	const char *trace; /* 32 digits */
	size_t top;	   /* rows of each table */
	bool json;
};

/* The input: a profile, of which the part is encoded that the filter selects. */
struct encode_work {
	const struct profile *profile;	    /* only read */
	struct profile *owned;		    /* NULL, or the profile, which the job then frees */
	const struct profile *const *parts; /* NULL; or several, which are encoded as one in its place */
	size_t part_count;
	struct profile_filter filter;
	int format;		   /* enum format, or encode_format: graphs can be stopped */
	struct report_wish report; /* of ENCODE_REPORT */
	char trace[TRACE_TEXT];	   /* ... and its trace, to which the job points it */
};

/*
 * A profile that is not owned must stay as it is until the job has ended. At the end 1 is added to the
 * eventfd. 0; or -errno, and then the profile is still the caller's.
 */
int encode_job_start(struct job **ret, const struct encode_work *work, int eventfd);
/* The input that the job was started with. */
const struct encode_work *encode_job_work(const struct job *job);
/*
 * Waits for its end and frees it. What it has made is appended to out, and *ret_samples is how many samples
 * (PROFILE_SAMPLE) are in that. 0 or -errno.
 */
int encode_job_end(struct job *job, struct buf *out, __u32 *ret_samples);
/* As encode_job_end(), but a job that is not done is stopped: -ECANCELED. */
int encode_job_stop(struct job *job, struct buf *out);

#endif
