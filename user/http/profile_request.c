// SPDX-License-Identifier: GPL-2.0-only
#include "http/profile_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/job.h"
#include "http/connections.h"
#include "http/encode_job.h"
#include "http/query.h"
#include "profile/losses.h"
#include "profile/profile.h"
#include "targets/discover.h"
#include "tree/journal.h"
#include "tree/journal_stretch.h"
#include "tree/window.h"

/* Each holds the counts of the whole tree, twice at its end. */
#define OPEN_MAX       16	    /* at once */
#define OPEN_MIN       4	    /* however large the tree */
#define OPEN_BYTES     (256 << 20) /* for all of them */
#define NAMING_SECONDS 1.0 /* for the names of what was counted and is still being asked for */
#define LONG_SECONDS   60 /* who wants more of them may not take all the places */

/* A request waits for its time to pass, then for names, and then for a thread that encodes. */
struct profile_request {
	struct suspended request; /* the first member */
	struct profile_requests *all;
	enum { SAMPLING, NAMING, ENCODING, DONE, GONE } stage;
	double due;			 /* when the stage ends at the latest, CLOCK_MONOTONIC seconds */
	struct window *window;		 /* NULL from ENCODING on */
	struct journal_stretch *stretch; /* in place of a window, of who asks for the log */
	struct job *job;		 /* from ENCODING on, unless there is an error */
	__u64 unlabelled;		 /* entries of the log whose span has no labels */
	bool left; /* the client has gone while a thread encodes: the place is free when that has ended */
	struct query query;
	char lost[LOSSES_TEXT_SIZE]; /* of the log, in the stretch */
};

static struct profile_request *profile_request_of(struct suspended *w)
{
	return (struct profile_request *)w;
}

/* MHD does not look at a suspended connection, so that its client has gone must be seen here. */
static int watch_client(struct profile_request *r)
{
	struct epoll_event e = { .events = EPOLLRDHUP, .data.ptr = r };
	const int fd = connection_fd(r->request.client.connection);

	return epoll_ctl(r->all->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static void unwatch(struct profile_request *r)
{
	epoll_ctl(r->all->epoll, EPOLL_CTL_DEL, connection_fd(r->request.client.connection), NULL);
}

static void wake(struct profile_request *r, int stage)
{
	r->stage = r->left ? GONE : stage;
	unwatch(r);
	r->all->open--;
	suspended_wake(&r->all->first, &r->request, r->request.error);
}

/*
 * A stretch of what has been noted up to now, waits that go on included. Names of what was met last may still
 * be on their way.
 */
static int open_stretch(struct profile_request *r)
{
	struct journal *j = *r->all->journal;
	__u64 from, to;
	int err;

	if (r->all->windows->settle)
		r->all->windows->settle(r->all->windows->context);
	journal_read(j);
	discover_catch_up(r->all->discover);
	query_stretch(&r->query, journal_oldest(j), &from, &to);
	r->stage = NAMING;
	r->due = clock_seconds() + NAMING_SECONDS;
	err = journal_stretch_new(&r->stretch, j, from, to);
	if (!err)
		journal_stretch_spans(r->stretch, &r->query.trace);
	return err;
}

static int open_window(struct profile_request *r)
{
	r->due = clock_seconds() + r->query.seconds;
	return window_open(r->all->windows, &r->window);
}

static int start_waiting(struct profile_request *r)
{
	int err = watch_client(r);

	if (err)
		return err;
	err = r->query.of_log ? open_stretch(r) : open_window(r);
	if (err) {
		unwatch(r);
		return err;
	}
	r->all->open++;
	suspended_add(&r->all->first, &r->request);
	return 0;
}

static enum MHD_Result end_profile_request(struct suspended *w);
static void free_request(struct suspended *w);

static int new_request(struct profile_requests *all, const struct query *q, const struct client *c,
		       struct suspended **ret)
{
	struct profile_request *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->request = suspended_begin(c, end_profile_request, free_request);
	r->all = all;
	r->query = *q;
	err = start_waiting(r);
	if (err)
		free(r);
	else
		*ret = &r->request;
	return err;
}

static unsigned int most_at_once(const struct profile_requests *all)
{
	size_t each = 2 * sizeof(__u64) * all->windows->inputs.tables->node_count, n = OPEN_BYTES / each;

	return n > OPEN_MAX ? OPEN_MAX : n < OPEN_MIN ? OPEN_MIN : n;
}

/* Requests that are open: those for more than LONG_SECONDS, and those of one address. */
struct request_shares {
	unsigned int long_ones, of_address;
};

static struct request_shares count_open(const struct profile_requests *all,
					const struct client_address *address)
{
	struct request_shares n = {};

	for (struct suspended *w = all->first; w; w = w->next) {
		n.long_ones += profile_request_of(w)->query.seconds > LONG_SECONDS;
		n.of_address += !memcmp(&w->address, address, sizeof(*address));
	}
	return n;
}

/*
 * Whether there is a place for one more; if not, *ret is the answer. A quarter of the places is not for
 * whoever has the others, and half of them are free again within LONG_SECONDS.
 */
static bool is_full(const struct profile_requests *all, const struct query *q, const struct client *c,
		    enum MHD_Result *ret)
{
	const struct client_address address = connection_address(c->connection);
	const struct request_shares n = count_open(all, &address);
	unsigned int most = most_at_once(all);

	if (all->open >= most)
		*ret = answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%u profiles are being taken, which is the most", all->open);
	else if (n.of_address >= most - most / 4)
		*ret = answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%u profiles are being taken for this address, which is the most for one",
				   n.of_address);
	else if (q->seconds > LONG_SECONDS && n.long_ones >= most / 2)
		*ret = answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%u profiles of more than %d seconds are being taken, which is the most; "
				   "ask for a shorter one",
				   n.long_ones, LONG_SECONDS);
	else
		return false;
	return true;
}

static enum MHD_Result begin_request(struct profile_requests *all, enum health health, const struct query *q,
				     const struct client *c, struct suspended **ret)
{
	enum MHD_Result result;
	int err;

	if (health != HEALTH_SAMPLING)
		return health_refuse(health, c);
	if (q->filter.events & ~all->windows->events)
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", QUERY_NOT_OF_THIS_RUN);
	if (is_full(all, q, c, &result))
		return result;
	err = new_request(all, q, c, ret);
	if (err == -EINVAL)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "the log has nothing of that time");
	return err ? answer_failure(c, err) : MHD_YES;
}

enum MHD_Result profile_request_begin(struct profile_requests *all, enum health health,
				      const struct client *c, struct suspended **ret)
{
	struct query q;

	if (query_read(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	return begin_request(all, health, &q, c, ret);
}

enum MHD_Result profile_request_begin_log(struct profile_requests *all, enum health health,
					  const struct client *c, struct suspended **ret)
{
	struct query q;

	if (query_read_log(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	if (health == HEALTH_SAMPLING && !*all->journal)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "the profiler was not started with --log MINUTES");
	if (health == HEALTH_SAMPLING && q.trace.each && !(*all->journal)->traced)
		return answer_line(c, MHD_HTTP_BAD_REQUEST, QUERY_NOT_TRACED);
	return begin_request(all, health, &q, c, ret);
}

static void close_window(struct profile_request *r)
{
	window_close(TAKE_PTR(r->window));
	journal_stretch_free(TAKE_PTR(r->stretch));
}

void profile_request_gone(struct profile_request *r)
{
	r->all->abandoned++;
	if (r->stage == ENCODING) {
		r->left = true;
		unwatch(r);
		return;
	}
	close_window(r);
	wake(r, GONE);
}

static void free_request(struct suspended *w)
{
	struct profile_request *r = profile_request_of(w);

	close_window(r);
	job_abandon(r->job);
	free(r);
}

/* The profile has all that was counted up to here; names that come within a second are for it, too. */
static void end_sampling(struct profile_request *r, double now)
{
	discover_catch_up(r->all->discover);
	if (window_mark(r->window)) {
		wake(r, DONE);
		return;
	}
	r->stage = NAMING;
	r->due = now + NAMING_SECONDS;
}

static int take_profile(struct profile_request *r, struct profile **ret)
{
	struct harvest_stats stats;
	int err = r->stretch ? journal_stretch_prepare(r->stretch, 0) : window_take(r->window, ret, &stats);

	if (!err && r->stretch) {
		r->unlabelled = journal_stretch_unlabelled(r->stretch);
		*ret = journal_stretch_take(r->stretch);
		losses_text(profile_get_info(*ret), r->lost);
	}
	close_window(r);
	return err;
}

/* How each form is made, and what its answer is. */
static const struct {
	enum encode_format encoding;
	bool is_file; /* a browser saves it */
	const char *suffix, *type;
} forms[QUERY_FORMS] = {
	[FORM_GRAPH] = { ENCODE_GRAPH, false, ".json", TYPE_JSON },
	[FORM_HEAT] = { ENCODE_HEAT, false, ".json", TYPE_JSON },
	[FORM_REPORT] = { ENCODE_REPORT, false, ".txt", TYPE_TEXT },
	[FORM_REPORT_JSON] = { ENCODE_REPORT, true, ".json", TYPE_JSON },
};

static int start_encoding(struct profile_request *r)
{
	const struct query *q = &r->query;
	struct encode_work work = { .filter = q->filter, .format = q->format };
	int err = take_profile(r, &work.owned);
	char span[SPAN_TEXT];

	if (q->form)
		work.format = forms[q->form].encoding;
	if (work.format == ENCODE_REPORT) {
		work.report = (struct report_wish){ .top = q->top, .json = q->form == FORM_REPORT_JSON };
		trace_ids_text(&q->trace.of, work.trace, span);
	}
	if (err)
		return err;
	work.profile = work.owned;
	err = encode_job_start(&r->job, &work, r->all->eventfd);
	if (err)
		profile_free(work.owned);
	return err;
}

/* A large profile is put together over several turns of the event loop. */
static void end_naming(struct profile_request *r, double now)
{
	const int err = r->stretch ? journal_stretch_prepare(r->stretch, r->all->windows->pause_ns) :
				     window_prepare(r->window);

	if (err == -EAGAIN) {
		r->due = now;
		return;
	}
	r->request.error = start_encoding(r);
	r->stage = ENCODING;
	r->due = HTTP_NEVER;
	if (r->request.error)
		wake(r, DONE);
}

void profile_requests_run(void *requests, double now)
{
	struct profile_requests *all = requests;
	struct suspended *next;

	for (struct suspended *w = all->first; w; w = next) {
		struct profile_request *r = profile_request_of(w);

		next = w->next;
		if (r->stage == SAMPLING && now >= r->due)
			end_sampling(r, now);
		if (r->stage == NAMING && (now >= r->due || !discover_pending(all->discover)))
			end_naming(r, now);
		else if (r->stage == ENCODING && job_is_done(r->job))
			wake(r, DONE);
	}
}

double profile_requests_next(const void *requests)
{
	const struct profile_requests *all = requests;
	double next = HTTP_NEVER;

	for (struct suspended *w = all->first; w; w = w->next) {
		const struct profile_request *r = profile_request_of(w);

		if (r->stage == NAMING && !discover_pending(all->discover))
			return 0;
		if (r->due < next)
			next = r->due;
	}
	return next;
}

void profile_requests_finish(void *requests)
{
	struct profile_requests *all = requests;

	while (all->first)
		wake(profile_request_of(all->first), DONE);
}

/* At the end of the run there is nothing else to do: nobody minds that it takes time. */
static int encode_at_end(struct profile_request *r, struct buf *out, __u32 *ret_samples)
{
	int err = r->window || r->stretch ? start_encoding(r) : r->request.error;

	return err ?: encode_job_end(TAKE_PTR(r->job), out, ret_samples);
}

/*
 * A browser that cannot show the answer as text saves it under this name. Who cannot read the format may see
 * whether anything is in it, and what the log has lost of it.
 */
static enum MHD_Result answer_profile(const struct profile_request *r, struct buf *body, __u32 samples)
{
	const enum query_form form = r->query.form;
	const struct format_row *f = &format_rows[r->query.format];
	const char *suffix = form ? forms[form].suffix : f->suffix, *type = form ? forms[form].type : f->type;
	const bool is_file = form ? forms[form].is_file : strncmp(type, "text/", strlen("text/"));
	char count[16], place[64], left_out[24];
	struct answer_header headers[5] = { { "Pyperf-Samples", count } };
	size_t n = 1;

	if (is_file)
		headers[n++] = (struct answer_header){ "Content-Disposition", place };
	if (r->unlabelled)
		headers[n++] = (struct answer_header){ "Pyperf-Spans-Left-Out", left_out };
	snprintf(count, sizeof(count), "%u", samples);
	snprintf(place, sizeof(place), "attachment; filename=\"profile%s\"", suffix);
	snprintf(left_out, sizeof(left_out), "%llu", r->unlabelled);
	if (*r->lost)
		headers[n++] = (struct answer_header){ "Pyperf-Log-Lost", r->lost };
	return answer_buf_with(&r->request.client, MHD_HTTP_OK, type, body, headers);
}

static enum MHD_Result end_profile_request(struct suspended *w)
{
	struct profile_request *r = profile_request_of(w);
	_cleanup_buf_ struct buf out = {};
	__u32 samples = 0;
	int err;

	if (r->stage == GONE)
		return MHD_NO; /* hang up */
	err = encode_at_end(r, &out, &samples);
	if (err)
		return answer_failure(&r->request.client, err);
	r->all->served++;
	if (r->query.form >= FORM_REPORT && !samples)
		return answer_line(&r->request.client, MHD_HTTP_NOT_FOUND,
				   "nothing was sampled for this trace");
	return answer_profile(r, &out, samples);
}
