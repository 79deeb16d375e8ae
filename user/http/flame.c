// SPDX-License-Identifier: GPL-2.0-only
#include "http/flame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/job.h"
#include "http/connections.h"
#include "http/encode_job.h"
#include "http/query.h"
#include "http/recent.h"

int flame_open(struct flame *f, struct recent *recent)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	*f = (struct flame){ .eventfd = fd, .recent = recent };
	return 0;
}

/* --- answers that are kept ----------------------------------------------------------------------------- */

static void release(struct MHD_Response **r)
{
	if (*r)
		MHD_destroy_response(*r); /* once the clients who get it now have it */
	*r = NULL;
}

static void forget(struct flame *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(f->whole); i++)
		release(&f->whole[i]);
	for (size_t i = 0; i < FLAME_ROWS; i++)
		release(&f->rows[i].response);
	f->next = 0;
}

/* Those of the newest interval: there is another one now. */
static void forget_newest(struct flame *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(f->whole); i++)
		release(&f->whole[i]);
	for (size_t i = 0; i < FLAME_ROWS; i++)
		if (!f->rows[i].stretch.last)
			release(&f->rows[i].response);
}

/* What every page asks for first: it is made once for each profile, whatever was spent. */
static bool is_whole(const struct profile_filter *filter, int format, struct stretch s)
{
	return format >= FORMATS && !s.last && profile_filter_is_empty(filter);
}

static struct MHD_Response *find(const struct flame *f, const struct profile_filter *filter, int format,
				 struct stretch s)
{
	if (is_whole(filter, format, s))
		return f->whole[format - FORMATS];
	for (size_t i = 0; i < FLAME_ROWS; i++)
		if (f->rows[i].response && f->rows[i].format == format &&
		    f->rows[i].stretch.first == s.first && f->rows[i].stretch.last == s.last &&
		    profile_filter_is_same(&f->rows[i].filter, filter))
			return f->rows[i].response;
	return NULL;
}

/* Deep stacks of which each was seen once make an answer of many megabytes. The oldest go first. */
static void make_room(struct flame *f)
{
	size_t bytes = 0;

	for (size_t i = 0; i < FLAME_ROWS; i++)
		bytes += f->rows[i].response ? f->rows[i].size : 0;
	for (size_t i = 0; i < FLAME_ROWS && bytes > FLAME_BYTES_MAX; i++) {
		size_t row = (f->next + i) % FLAME_ROWS;

		bytes -= f->rows[row].response ? f->rows[row].size : 0;
		release(&f->rows[row].response);
	}
}

static void keep(struct flame *f, const struct encode_work *w, struct MHD_Response *r, size_t size)
{
	if (is_whole(&w->filter, w->format, f->stretch)) {
		release(&f->whole[w->format - FORMATS]);
		f->whole[w->format - FORMATS] = r;
		return;
	}
	release(&f->rows[f->next].response);
	make_room(f);
	f->rows[f->next].filter = w->filter;
	f->rows[f->next].format = w->format;
	f->rows[f->next].stretch = f->stretch;
	f->rows[f->next].response = r;
	f->rows[f->next].size = size;
	f->next = (f->next + 1) % FLAME_ROWS;
}

/* Intervals of the history. */
struct part {
	struct stretch stretch;
	size_t first, count;
};

/* --- the thread ---------------------------------------------------------------------------------------- */

static bool may_spend(struct flame *f, double now)
{
	f->spent -= (now - f->looked) * FLAME_SHARE;
	if (f->spent < 0)
		f->spent = 0;
	f->looked = now;
	return f->spent < FLAME_SECONDS_SAVED;
}

/* So many intervals from this place on stay as long as the job. */
static void lend(struct flame *f, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		f->lent[i] = f->recent->history.rows[first + i];
		f->parts[i] = f->lent[i]->profile;
		interval_get(f->lent[i]);
	}
	f->lent_count = count;
}

static void give_back(struct flame *f)
{
	while (f->lent_count)
		interval_put(f->lent[--f->lent_count]);
}

/* -EBUSY: too much time was spent already. */
static int begin(struct flame *f, const struct query *q, int format, const struct part *part)
{
	struct encode_work work = { .filter = q->filter, .format = format };
	double now = clock_seconds();
	int err;

	if (!may_spend(f, now) && !is_whole(&q->filter, format, part->stretch))
		return -EBUSY;
	if (f->of != f->recent->serial)
		forget_newest(f);
	f->of = f->recent->serial;
	f->stretch = part->stretch;
	lend(f, part->first, part->count);
	work.profile = f->parts[0];
	if (part->count > 1) {
		work.parts = f->parts;
		work.part_count = part->count;
	}
	err = encode_job_start(&f->job, &work, f->eventfd);
	if (err)
		give_back(f);
	f->begun = now;
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
static void end_job(struct flame *f)
{
	const struct encode_work work = *encode_job_work(f->job);
	_cleanup_buf_ struct buf out = {};
	struct MHD_Response *r = NULL;
	eventfd_t count;
	size_t size;

	f->error = encode_job_stop(f->job, &out);
	f->job = NULL;
	eventfd_read(f->eventfd, &count); /* now that nobody will write to it */
	give_back(f);
	if (!is_whole(&work.filter, work.format, f->stretch))
		f->spent += clock_seconds() - f->begun;
	size = out.size;
	if (!f->error) {
		r = make(work.format, &out);
		f->error = r ? 0 : -ENOMEM;
	}
	if (r)
		keep(f, &work, r, size);
}

static void wake_all(struct flame *f)
{
	while (f->waiting_count)
		MHD_resume_connection(f->waiting[--f->waiting_count]);
}

void flame_run(struct flame *f)
{
	if (!f->job || !job_is_done(f->job))
		return;
	end_job(f);
	wake_all(f);
}

void flame_finish(struct flame *f)
{
	f->ended = true;
	if (f->job)
		end_job(f);
	wake_all(f);
}

void flame_close(struct flame *f)
{
	flame_finish(f);
	forget(f);
	close(f->eventfd);
}

/* --- clients ------------------------------------------------------------------------------------------- */

/* Whoever waits for another answer is woken as well, and then begins it. */
static enum MHD_Result wait_for_job(struct flame *f, const struct client *c, bool *waited)
{
	if (f->waiting_count == FLAME_WAITING_MAX)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%d clients wait for a flame graph, which is the most", FLAME_WAITING_MAX);
	connection_set_deadline(c->connection, HTTP_NEVER);
	f->waiting[f->waiting_count++] = c->connection;
	*waited = true;
	MHD_suspend_connection(c->connection);
	return MHD_YES;
}

/* What is asked for; .count 0 = that time is not there. */
static struct part find_part(const struct flame *f, const struct query *q)
{
	const struct history *h = &f->recent->history;
	struct part part = { .first = h->count - 1, .count = 1 };

	if (q->from <= 0 && q->to <= 0)
		return part;
	part.count = history_find(h, q->from, q->to, &part.first);
	if (part.count)
		part.stretch = (struct stretch){ h->rows[part.first]->serial,
						 h->rows[part.first + part.count - 1]->serial };
	return part;
}

static enum MHD_Result answer(struct flame *f, const struct query *q, int format, const struct client *c,
			      bool *waited)
{
	const struct profile *newest = recent_profile(f->recent);
	struct MHD_Response *response;
	struct part part;
	int err;

	if (f->ended || !newest)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "%s",
				   f->ended ? "not sampling any more" :
					      "the first interval has not ended yet");
	part = find_part(f, q);
	if (!part.count)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "no interval of that time is kept");
	if (q->filter.events && q->filter.events & ~profile_get_info(newest)->events)
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", QUERY_NOT_OF_THIS_RUN);
	/* Whoever has waited takes the answer that was made, though there is a newer profile by now. */
	response = *waited || f->job || f->of == f->recent->serial || part.stretch.last ?
			   find(f, &q->filter, format, part.stretch) : NULL;
	if (response)
		return answer_send(c, MHD_HTTP_OK, response);
	if (*waited && f->error)
		return answer_failure(c, f->error);
	err = f->job ? 0 : begin(f, q, format, &part);
	if (err == -EBUSY)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many different flame graphs are asked for");
	return err ? answer_failure(c, err) : wait_for_job(f, c, waited);
}

enum MHD_Result flame_answer(struct flame *f, const struct client *c, bool *waited)
{
	struct query q;

	if (query_read(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	return answer(f, &q, ENCODE_FLAME_GRAPH, c, waited);
}

enum MHD_Result flame_answer_interval(struct flame *f, const struct client *c, bool *waited)
{
	struct query q;

	if (query_read_interval(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	return answer(f, &q, q.form ? ENCODE_GRAPH : (int)q.format, c, waited);
}
