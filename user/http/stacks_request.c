// SPDX-License-Identifier: GPL-2.0-only
#include "http/stacks_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/job.h"
#include "dump/relay.h"
#include "dump/stacks.h"
#include "http/connections.h"
#include "http/stacks_query.h"
#include "proc/procfs.h"
#include "targets/discover.h"
#include "targets/registry.h"

#define FULL_SECONDS 0.01 /* until the worker is asked again that had no room */

struct stacks_request {
	struct suspended request; /* the first member */
	struct stacks_requests *all;
	struct stacks_query query;
	double due; /* when the look has to have begun, CLOCK_MONOTONIC seconds */
};

static struct stacks_request *stacks_request_of(struct suspended *w)
{
	return (struct stacks_request *)w;
}

/* --- the thread ----------------------------------------------------------------------------------------- */

struct stacks_job {
	struct asker asker;
	struct stacks_wish wish;
	struct buf out;
};

static int look(void *context, const bool *stop)
{
	struct stacks_job *l = context;

	(void)stop; /* it asks the relay, which is closed before */
	return stacks_write(&l->asker, &l->wish, &l->out);
}

static void free_job(void *context)
{
	struct stacks_job *l = context;

	free(l->wish.pids);
	buf_free(&l->out);
	free(l);
}

static const struct job_kind look_kind = { look, free_job };

/* --- which processes ------------------------------------------------------------------------------------ */

static int add_process(void *wish, const struct registry_entry *e)
{
	struct stacks_wish *w = wish;

	if (e->ended || e->layout < 0)
		return 0;
	if (w->count < STACKS_PROCESSES_MAX)
		w->pids[w->count++] = (pid_t)e->pid;
	else
		w->left_out++;
	return 0;
}

static int is_process(void *pid, const struct registry_entry *e)
{
	return !e->ended && e->layout >= 0 && (pid_t)e->pid == *(const pid_t *)pid;
}

static int set_wish(const struct stacks_request *r, struct stacks_wish *w)
{
	*w = (struct stacks_wish){ .json = r->query.json, .async = r->query.async };
	w->pids = calloc(STACKS_PROCESSES_MAX, sizeof(*w->pids));
	if (!w->pids)
		return -ENOMEM;
	if (r->query.pid) {
		w->pids[w->count++] = r->query.pid;
		w->selection =
			registry_each(r->all->registry, is_process, &w->pids[0]) ? NULL : r->all->selection;
		return 0;
	}
	w->every = true;
	return registry_each(r->all->registry, add_process, w);
}

/* A client sees the processes that are profiled, and no others. If there are none, *ret is the answer. */
static bool may_be_seen(const struct stacks_requests *all, pid_t pid, const struct client *c,
			enum MHD_Result *ret)
{
	struct procfs_stat stat;

	if (registry_each(all->registry, is_process, &pid))
		return true;
	if (procfs_stat(pid, &stat))
		*ret = answer_line(c, MHD_HTTP_NOT_FOUND, "there is no process %d", pid);
	else if (all->selection)
		return true; /* the look finds out */
	else
		*ret = answer_line(c, MHD_HTTP_NOT_FOUND, "process %d is no Python that is profiled", pid);
	return false;
}

/* --- requests that wait --------------------------------------------------------------------------------- */

static int begin_look(struct stacks_requests *all, double now)
{
	_cleanup_free_ struct stacks_job *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	err = relay_new(&all->relay, discover_questions(all->discover), all->eventfd, STACKS_LOOK_SECONDS);
	if (err)
		return err;
	l->asker = (struct asker){
		.ask = relay_ask,
		.is_over = relay_is_over,
		.context = all->relay,
		.names_max = STACKS_NAMES_MAX,
	};
	l->out.size_max = STACKS_BYTES_MAX;
	err = set_wish(stacks_request_of(all->first), &l->wish);
	err = err ?: job_start(&all->job, &look_kind, l, all->eventfd);
	if (!err) {
		all->begun = now;
		l = NULL;
		return 0;
	}
	free(l->wish.pids);
	relay_free(TAKE_PTR(all->relay));
	return err;
}

/* The job is done, or was told to stop. */
static void end_look(struct stacks_requests *all, double now)
{
	int err = job_wait(all->job);
	struct stacks_job *l = job_context(all->job);

	all->first->out = l->out;
	l->out = (struct buf){ 0 };
	job_free(TAKE_PTR(all->job));
	relay_free(TAKE_PTR(all->relay));
	all->worker_is_full = false;
	all->next = now + (now - all->begun);
	suspended_wake(&all->first, all->first, err);
}

/* The first one that does not wait for the look which goes on. */
static struct suspended *first_behind_look(const struct stacks_requests *all)
{
	return all->first && all->job ? all->first->next : all->first;
}

static void refuse_late(struct stacks_requests *all, double now)
{
	struct suspended *next;

	for (struct suspended *w = first_behind_look(all); w; w = next) {
		next = w->next;
		if (now >= stacks_request_of(w)->due)
			suspended_wake(&all->first, w, -EBUSY);
	}
}

void stacks_requests_run(void *requests, double now)
{
	struct stacks_requests *all = requests;
	int err;

	if (all->job)
		all->worker_is_full = relay_pass_on(all->relay);
	if (all->job && job_is_done(all->job))
		end_look(all, now);
	refuse_late(all, now);
	if (all->job || !all->first || now < all->next)
		return;
	err = begin_look(all, now);
	if (err)
		suspended_wake(&all->first, all->first, err);
}

double stacks_requests_next(const void *requests)
{
	const struct stacks_requests *all = requests;
	struct suspended *waits = first_behind_look(all);
	double next = waits ? stacks_request_of(waits)->due : HTTP_NEVER, other = HTTP_NEVER;

	if (all->job && all->worker_is_full)
		other = clock_seconds() + FULL_SECONDS;
	else if (!all->job && waits)
		other = all->next;
	return other < next ? other : next;
}

void stacks_requests_finish(void *requests)
{
	struct stacks_requests *all = requests;

	if (all->job) {
		relay_close(all->relay);
		end_look(all, clock_seconds());
	}
	suspended_wake_all(&all->first, -ECANCELED);
}

/* --- clients -------------------------------------------------------------------------------------------- */

static enum MHD_Result end_stacks_request(struct suspended *w);

static int wait_for_look(struct stacks_requests *all, const struct stacks_query *q, const struct client *c,
			 struct suspended **ret)
{
	struct stacks_request *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct stacks_request){
		.request = suspended_begin(c, end_stacks_request, suspended_free),
		.all = all,
		.query = *q,
		.due = clock_seconds() + STACKS_WAIT_SECONDS,
	};
	*ret = &r->request;
	suspended_add(&all->first, &r->request);
	return 0;
}

enum MHD_Result stacks_request_begin(struct stacks_requests *all, enum health health, const struct client *c,
				     struct suspended **ret)
{
	struct client_address address;
	enum MHD_Result result;
	struct stacks_query q;
	int err;

	if (stacks_query_read(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	if (health != HEALTH_SAMPLING)
		return health_refuse(health, c);
	if (q.pid && !may_be_seen(all, q.pid, c, &result))
		return result;
	address = connection_address(c->connection);
	if (suspended_are_full(all->first, &address, STACKS_WAITING_MAX, STACKS_OF_ONE))
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "as many requests for stacks wait as there may be");
	err = wait_for_look(all, &q, c, ret);
	return err ? answer_failure(c, err) : MHD_YES;
}

/* In one line. */
static enum MHD_Result answer_stacks_error(const struct stacks_request *r)
{
	const struct client *c = &r->request.client;
	const pid_t pid = r->query.pid;

	switch (r->request.error) {
	case -ESRCH:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d has ended", pid);
	case -ENOEXEC:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d is not Python", pid);
	case -ENOTSUP:
		return answer_line(c, MHD_HTTP_NOT_FOUND,
				   "process %d is a Python whose stacks cannot be read", pid);
	case -ENOENT:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d is no Python that is profiled", pid);
	case -EPERM:
	case -EACCES:
		return answer_line(c, MHD_HTTP_FORBIDDEN, "the profiler may not read process %d", pid);
	case -ETIMEDOUT:
	case -EPIPE:
	case -EAGAIN:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "the look was given up: it took too long");
	case -EBUSY:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "other requests for stacks took too long");
	case -ECANCELED:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling any more");
	case -ENOMEM:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the stacks have no room in %lu MiB",
				   STACKS_BYTES_MAX >> 20);
	}
	return answer_failure(c, r->request.error);
}

static enum MHD_Result end_stacks_request(struct suspended *w)
{
	struct stacks_request *r = stacks_request_of(w);

	if (r->request.error)
		return answer_stacks_error(r);
	return answer_buf(&r->request.client, MHD_HTTP_OK, r->query.json ? TYPE_JSON : TYPE_TEXT,
			  &r->request.out);
}
