// SPDX-License-Identifier: GPL-2.0-only
#include "http/profile_request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "http/answer.h"
#include "http/route.h"

/* Each holds the counts of the whole tree, twice at its end. */
#define OPEN_MAX       16	    /* at once */
#define OPEN_MIN       4	    /* however large the tree */
#define OPEN_BYTES     (256 << 20) /* for all of them */
#define NAMING_SECONDS 1.0 /* for the names of what was counted and is still being asked for */

static void leave_list(struct visit *v)
{
	for (struct visit **at = &v->http->waiting; *at; at = &(*at)->next) {
		if (*at != v)
			continue;
		*at = v->next;
		v->http->counts.open--;
		return;
	}
}

/* MHD does not look at a suspended connection, so that its client has gone must be seen here. */
static int watch(struct visit *v)
{
	struct epoll_event e = { .events = EPOLLRDHUP, .data.ptr = v };

	return epoll_ctl(v->http->epoll, EPOLL_CTL_ADD, connection_fd(v->connection), &e) ? -errno : 0;
}

/* Back to MHD, which then calls again for the answer. */
static void wake(struct visit *v, int stage)
{
	v->stage = stage;
	epoll_ctl(v->http->epoll, EPOLL_CTL_DEL, connection_fd(v->connection), NULL);
	leave_list(v);
	MHD_resume_connection(v->connection);
}

static int open_window(struct visit *v)
{
	int err = watch(v);

	if (err)
		return err;
	err = window_open(v->http->source.windows, &v->window);
	if (err)
		epoll_ctl(v->http->epoll, EPOLL_CTL_DEL, connection_fd(v->connection), NULL);
	return err;
}

static unsigned int most_at_once(const struct http *h)
{
	size_t each = 2 * sizeof(__u64) * kernel_tables(h->source.kernel)->node_count, n = OPEN_BYTES / each;

	return n > OPEN_MAX ? OPEN_MAX : n < OPEN_MIN ? OPEN_MIN : n;
}

enum MHD_Result profile_request_begin(struct visit *v)
{
	struct http *h = v->http;
	int err;

	if (!route_read_query(v))
		return answer_line(v, MHD_HTTP_BAD_REQUEST, "%s", v->query.error);
	if (!h->ready || h->finishing)
		return answer_line(v, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling %s",
				   h->ready ? "any more" : "yet");
	if (h->counts.open >= most_at_once(h))
		return answer_line(v, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%u profiles are being taken, which is the most", h->counts.open);
	err = open_window(v);
	if (err)
		return answer_failure(v, err);
	v->stage = VISIT_SAMPLING;
	v->due = clock_seconds() + v->query.seconds;
	v->next = h->waiting;
	h->waiting = v;
	h->counts.open++;
	connection_set_deadline(v->connection, HTTP_NEVER);
	MHD_suspend_connection(v->connection);
	return MHD_YES;
}

void profile_request_gone(struct visit *v)
{
	v->http->counts.abandoned++;
	profile_request_release(v);
	wake(v, VISIT_GONE);
}

void profile_request_release(struct visit *v)
{
	window_close(v->window);
	v->window = NULL;
}

/* What was counted up to here is the profile; names that come within a second are for it, too. */
static void end_sampling(struct visit *v, double now)
{
	kernel_read_records(v->http->source.kernel);
	if (window_mark(v->window)) {
		wake(v, VISIT_DONE);
		return;
	}
	v->stage = VISIT_NAMING;
	v->due = now + NAMING_SECONDS;
}

void profile_requests_run(struct http *h, double now)
{
	struct visit *v, *next;

	for (v = h->waiting; v; v = next) {
		next = v->next;
		if (v->stage == VISIT_SAMPLING && now >= v->due)
			end_sampling(v, now);
		if (v->stage == VISIT_NAMING && (now >= v->due || !discover_pending(h->source.discover)))
			wake(v, VISIT_DONE);
	}
}

double profile_requests_next(const struct http *h)
{
	double next = HTTP_NEVER;

	for (const struct visit *v = h->waiting; v; v = v->next) {
		if (v->stage == VISIT_NAMING && !discover_pending(h->source.discover))
			return 0;
		if (v->due < next)
			next = v->due;
	}
	return next;
}

void profile_requests_finish(struct http *h)
{
	while (h->waiting)
		wake(h->waiting, VISIT_DONE);
}

static int encode(const struct query *q, const struct profile *all, struct buf *out)
{
	_cleanup_profile_ struct profile *part = NULL;
	bool whole = profile_filter_is_empty(&q->filter);
	int err = whole ? 0 : profile_filter_apply(&q->filter, all, &part);

	if (err)
		return err;
	return format_rows[q->format].encode(whole ? all : part, out);
}

/* What a browser cannot show as text it saves under this name. */
static enum MHD_Result answer_profile(struct visit *v, struct buf *body)
{
	const struct format_row *f = &format_rows[v->query.format];
	char header[64];

	if (!strncmp(f->type, "text/", strlen("text/")))
		return answer_buf(v, MHD_HTTP_OK, f->type, body);
	snprintf(header, sizeof(header), "attachment; filename=\"profile%s\"", f->suffix);
	return answer_buf_with(v, MHD_HTTP_OK, f->type, body, "Content-Disposition", header);
}

enum MHD_Result profile_request_end(struct visit *v)
{
	_cleanup_profile_ struct profile *profile = NULL;
	_cleanup_buf_ struct buf out = {};
	struct harvest_stats stats;
	int err;

	if (v->stage == VISIT_GONE)
		return MHD_NO; /* hang up */
	err = window_take(v->window, &profile, &stats);
	profile_request_release(v);
	if (!err)
		err = encode(&v->query, profile, &out);
	if (err)
		return answer_failure(v, err);
	v->http->counts.profiles++;
	return answer_profile(v, &out);
}
