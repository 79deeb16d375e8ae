// SPDX-License-Identifier: GPL-2.0-only
#include "http/interval_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/job.h"
#include "http/connections.h"
#include "http/encode_job.h"
#include "http/query.h"
#include "http/recent.h"

struct interval_wait {
	struct suspended request; /* the first member */
	struct interval_requests *all;
};

/* --- answers that are kept ----------------------------------------------------------------------------- */

static void release(struct MHD_Response **r)
{
	if (*r)
		MHD_destroy_response(*r); /* once the clients who get it now have it */
	*r = NULL;
}

void interval_requests_free(void *requests)
{
	struct interval_requests *all = requests;

	release(&all->whole);
	for (size_t i = 0; i < INTERVAL_ROWS; i++)
		release(&all->rows[i].response);
	all->next = 0;
}

/* Those of the newest interval: there is another one now. */
static void forget_newest(struct interval_requests *all)
{
	release(&all->whole);
	for (size_t i = 0; i < INTERVAL_ROWS; i++)
		if (!all->rows[i].stretch.last)
			release(&all->rows[i].response);
}

/* What every page asks for first: it is made once for each profile, whatever was spent. */
static bool is_whole(const struct profile_filter *filter, int format, struct stretch s)
{
	return format == ENCODE_GRAPH && !s.last && profile_filter_is_empty(filter);
}

static struct MHD_Response *find_answer(const struct interval_requests *all,
					const struct profile_filter *filter, int format, struct stretch s)
{
	if (is_whole(filter, format, s))
		return all->whole;
	for (size_t i = 0; i < INTERVAL_ROWS; i++)
		if (all->rows[i].response && all->rows[i].format == format &&
		    all->rows[i].stretch.first == s.first && all->rows[i].stretch.last == s.last &&
		    profile_filter_is_same(&all->rows[i].filter, filter))
			return all->rows[i].response;
	return NULL;
}

/* Deep stacks of which each was seen once make an answer of many megabytes. The oldest go first. */
static void drop_oldest_answers(struct interval_requests *all)
{
	size_t bytes = 0;

	for (size_t i = 0; i < INTERVAL_ROWS; i++)
		bytes += all->rows[i].response ? all->rows[i].size : 0;
	for (size_t i = 0; i < INTERVAL_ROWS && bytes > INTERVAL_BYTES_MAX; i++) {
		size_t row = (all->next + i) % INTERVAL_ROWS;

		bytes -= all->rows[row].response ? all->rows[row].size : 0;
		release(&all->rows[row].response);
	}
}

static void keep(struct interval_requests *all, const struct encode_work *w, struct MHD_Response *r,
		 size_t size)
{
	if (is_whole(&w->filter, w->format, all->stretch)) {
		release(&all->whole);
		all->whole = r;
		return;
	}
	release(&all->rows[all->next].response);
	drop_oldest_answers(all);
	all->rows[all->next].filter = w->filter;
	all->rows[all->next].format = w->format;
	all->rows[all->next].stretch = all->stretch;
	all->rows[all->next].response = r;
	all->rows[all->next].size = size;
	all->next = (all->next + 1) % INTERVAL_ROWS;
}

/* Intervals of the history. */
struct interval_part {
	struct stretch stretch;
	size_t first, count;
};

/* --- the thread ---------------------------------------------------------------------------------------- */

static bool may_spend(struct interval_requests *all, double now)
{
	all->spent -= (now - all->looked) * INTERVAL_SHARE;
	if (all->spent < 0)
		all->spent = 0;
	all->looked = now;
	return all->spent < INTERVAL_SECONDS_SAVED;
}

/* So many intervals from this place on stay as long as the job. */
static void lend(struct interval_requests *all, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		all->lent[i] = all->recent->history.rows[first + i];
		all->parts[i] = all->lent[i]->profile;
		interval_get(all->lent[i]);
	}
	all->lent_count = count;
}

static void give_back(struct interval_requests *all)
{
	while (all->lent_count)
		interval_put(all->lent[--all->lent_count]);
}

/* -EBUSY: too much time was spent already. */
static int begin(struct interval_requests *all, const struct query *q, int format,
		 const struct interval_part *part)
{
	struct encode_work work = { .filter = q->filter, .format = format };
	double now = clock_seconds();
	int err;

	if (!may_spend(all, now) && !is_whole(&q->filter, format, part->stretch))
		return -EBUSY;
	if (all->of != all->recent->serial)
		forget_newest(all);
	all->of = all->recent->serial;
	all->stretch = part->stretch;
	lend(all, part->first, part->count);
	work.profile = all->parts[0];
	if (part->count > 1) {
		work.parts = all->parts;
		work.part_count = part->count;
	}
	err = encode_job_start(&all->job, &work, all->eventfd);
	if (err)
		give_back(all);
	all->begun = now;
	return err;
}

/* What is no text and no page's own is saved under a name. */
static struct MHD_Response *make(int format, struct buf *out)
{
	const struct format_row *row = &format_rows[format < FORMATS ? format : 0];
	struct MHD_Response *r = answer_make(format < FORMATS ? row->type : TYPE_JSON, out);
	char place[64];

	if (!r || format >= FORMATS || !strncmp(row->type, "text/", strlen("text/")))
		return r;
	snprintf(place, sizeof(place), "attachment; filename=\"profile%s\"", row->suffix);
	MHD_add_response_header(r, "Content-Disposition", place);
	return r;
}

/* The job is done, or is to be stopped. */
static void end_job(struct interval_requests *all)
{
	const struct encode_work work = *encode_job_work(all->job);
	_cleanup_buf_ struct buf out = {};
	struct MHD_Response *r = NULL;
	size_t size;

	all->error = encode_job_stop(all->job, &out);
	all->job = NULL;
	give_back(all);
	if (!is_whole(&work.filter, work.format, all->stretch))
		all->spent += clock_seconds() - all->begun;
	size = out.size;
	if (!all->error) {
		r = make(work.format, &out);
		all->error = r ? 0 : -ENOMEM;
	}
	if (r)
		keep(all, &work, r, size);
}

void interval_requests_run(void *requests, double now)
{
	struct interval_requests *all = requests;

	(void)now;
	if (!all->job || !job_is_done(all->job))
		return;
	end_job(all);
	suspended_wake_all(&all->first, 0);
}

void interval_requests_finish(void *requests)
{
	struct interval_requests *all = requests;

	all->ended = true;
	if (all->job)
		end_job(all);
	suspended_wake_all(&all->first, 0);
}

/* --- clients ------------------------------------------------------------------------------------------- */

static enum MHD_Result ask_again(struct suspended *w);

/* Whoever waits for another answer is woken as well, and then begins it. *wait: NULL at the first time. */
static enum MHD_Result wait_for_job(struct interval_requests *all, const struct client *c,
				    struct suspended **wait)
{
	const struct client_address address = connection_address(c->connection);
	struct interval_wait *w;

	if (suspended_are_full(all->first, &address, INTERVAL_WAITING_MAX, INTERVAL_WAITING_MAX))
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%d clients wait for an interval, which is the most",
				   INTERVAL_WAITING_MAX);
	if (!*wait) {
		w = calloc(1, sizeof(*w));
		if (!w)
			return answer_failure(c, -ENOMEM);
		w->request = suspended_begin(c, ask_again, suspended_free);
		w->all = all;
		*wait = &w->request;
	}
	suspended_add(&all->first, *wait);
	return MHD_YES;
}

/* What is asked for; .count 0 = that time is not there. */
static struct interval_part find_part(const struct interval_requests *all, const struct query *q)
{
	const struct history *h = &all->recent->history;
	struct interval_part part = { .first = h->count - 1, .count = 1 };

	if (q->from <= 0 && q->to <= 0)
		return part;
	part.count = history_find(h, q->from, q->to, &part.first);
	if (part.count)
		part.stretch = (struct stretch){ h->rows[part.first]->serial,
						 h->rows[part.first + part.count - 1]->serial };
	return part;
}

static enum MHD_Result answer_interval(struct interval_requests *all, const struct query *q, int format,
				       const struct client *c, struct suspended **wait)
{
	const struct profile *newest = recent_profile(all->recent);
	struct MHD_Response *response;
	struct interval_part part;
	int err;

	if (all->ended || !newest)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "%s",
				   all->ended ? "not sampling any more" :
					      "the first interval has not ended yet");
	part = find_part(all, q);
	if (!part.count)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "no interval of that time is kept");
	if (q->filter.events && q->filter.events & ~profile_get_info(newest)->events)
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", QUERY_NOT_OF_THIS_RUN);
	/* Whoever has waited takes the answer that was made, though there is a newer profile by now. */
	response = *wait || all->job || all->of == all->recent->serial || part.stretch.last ?
			   find_answer(all, &q->filter, format, part.stretch) : NULL;
	if (response)
		return answer_send(c, MHD_HTTP_OK, response);
	if (*wait && all->error)
		return answer_failure(c, all->error);
	err = all->job ? 0 : begin(all, q, format, &part);
	if (err == -EBUSY)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many different parts of intervals are asked for");
	return err ? answer_failure(c, err) : wait_for_job(all, c, wait);
}

enum MHD_Result interval_request_begin(struct interval_requests *all, const struct client *c,
				       struct suspended **ret)
{
	struct query q;

	if (query_read_interval(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	return answer_interval(all, &q, q.form ? ENCODE_GRAPH : (int)q.format, c, ret);
}

static enum MHD_Result ask_again(struct suspended *w)
{
	return interval_request_begin(((struct interval_wait *)w)->all, &w->client, &w);
}
