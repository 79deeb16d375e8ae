// SPDX-License-Identifier: GPL-2.0-only
#include "http/encode_job.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/job.h"
#include "profile/join.h"
#include "profile/profile.h"
#include "recorded/read_profile.h"
#include "report/answered.h"
#include "views/graph.h"
#include "views/heat.h"

#define ERROR_SIZE 512 /* why a report cannot be made; nobody reads it */

struct encoding {
	struct encode_work work;
	struct buf out;
	__u32 samples; /* in out */
};

static int encode_report(const struct profile *p, const struct report_wish *w, struct buf *out)
{
	const struct report_query q = { .trace = w->trace, .top = w->top };
	_cleanup_recorded_ struct recorded r = { .trace = w->trace };
	char error[ERROR_SIZE];
	struct answered a;
	int err = read_profile(&r, p);

	if (err)
		return err;
	err = answered_make(&r, &q, &a, error, sizeof(error));
	if (!err)
		err = w->json ? answered_json(&a, out) : answered_text(&a, false, out);
	answered_free(&a);
	return err;
}

static int encode_part(void *context, const bool *stop)
{
	_cleanup_profile_ struct profile *part = NULL, *joined = NULL;
	struct encoding *e = context;
	const struct encode_work *w = &e->work;
	const struct profile *p = w->profile;
	int err = 0;

	if (w->parts) {
		err = profile_join(w->parts, w->part_count, &joined);
		p = joined;
	}
	if (!err && !profile_filter_is_empty(&w->filter)) {
		err = profile_filter_apply(&w->filter, p, &part);
		p = part;
	}
	if (err)
		return err;
	e->samples = profile_count(p, PROFILE_SAMPLE);
	if (w->format == ENCODE_REPORT)
		return encode_report(p, &w->report, &e->out);
	if (w->format == ENCODE_GRAPH)
		return graph_encode_until(p, stop, &e->out);
	if (w->format == ENCODE_HEAT)
		return heat_encode_until(p, stop, &e->out);
	return format_rows[w->format].encode(p, &e->out);
}

static void free_encoding(void *context)
{
	struct encoding *e = context;

	profile_free(e->work.owned);
	buf_free(&e->out);
	free(e);
}

static const struct job_kind encode_kind = { encode_part, free_encoding };

int encode_job_start(struct job **ret, const struct encode_work *work, int eventfd)
{
	_cleanup_free_ struct encoding *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->work = *work;
	e->work.report.trace = e->work.trace;
	err = job_start(ret, &encode_kind, e, eventfd);
	if (!err)
		e = NULL;
	return err;
}

const struct encode_work *encode_job_work(const struct job *job)
{
	return &((struct encoding *)job_context(job))->work;
}

static int take_encoded(struct job *job, int err, struct buf *out, __u32 *ret_samples)
{
	struct encoding *e = job_context(job);

	err = err ?: buf_add(out, e->out.data, e->out.size);
	if (!err)
		*ret_samples = e->samples;
	job_free(job);
	return err;
}

int encode_job_end(struct job *job, struct buf *out, __u32 *ret_samples)
{
	return take_encoded(job, job_wait(job), out, ret_samples);
}

int encode_job_stop(struct job *job, struct buf *out)
{
	__u32 samples;

	return take_encoded(job, job_stop(job), out, &samples);
}
