// SPDX-License-Identifier: GPL-2.0-only
#include "http/source_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file_change.h"
#include "guard/worker.h"
#include "http/connections.h"
#include "http/history.h"
#include "http/source_query.h"
#include "report/line_text.h"
#include "targets/discover.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "views/function_lines.h"

struct source_request {
	struct suspended request; /* the first member */
	struct source_requests *all;
	struct source_query query;
	__s64 began_unix_ns;		   /* when the process did */
	bool is_counted[SOURCE_LINES_MAX]; /* in stacks of it, by line - query.from */
	__u32 idle; /* a line that was counted and has nothing that can run; 0 = there is none */
};

/* --- what may be read ----------------------------------------------------------------------------------- */

/*
 * Whether it was met in the process: 1, 0 or -ENOMEM. The newest interval nearly always has it, and then no
 * stack of the others is looked at. *ret_last: the last line that was counted.
 */
static int is_met(const struct history *h, const struct source_query *q, __u32 *ret_last)
{
	const struct function_wanted wanted = { q->name, q->file, q->line, q->pid };
	int met = 0;

	*ret_last = 0;
	for (size_t i = h->count; i-- > 0;) {
		const struct profile *p = h->rows[i]->profile;
		const __u32 last = function_lines_last(p, &wanted);

		if (last > *ret_last)
			*ret_last = last;
		if (!met && last)
			met = function_lines_met(p, &wanted, NULL);
	}
	return met;
}

struct source_search {
	__u32 pid;
	const struct registry_entry *found;
};

static int take_if_it(void *search, const struct registry_entry *e)
{
	struct source_search *s = search;

	if (e->ended || e->pid != s->pid)
		return 0;
	s->found = e;
	return 1;
}

/* Modules of some versions begin at line 0. */
static __u32 first_line(const struct source_query *q)
{
	return q->line ?: 1;
}

/* Lines before the function, and behind the last one that was counted, are not given. */
static bool cut_to_function(struct source_query *q, __u32 last)
{
	if (q->from < first_line(q))
		q->from = first_line(q);
	if (q->to > last)
		q->to = last;
	return q->from <= q->to;
}

/*
 * Marks the lines behind the first one that were counted in stacks of the process, of those that are wanted,
 * in the newest interval that has it. 0 or -ENOMEM.
 */
static int mark_counted(struct source_request *r, const struct history *h)
{
	const struct source_query *q = &r->query;
	const struct function_wanted wanted = { q->name, q->file, q->line, q->pid };
	struct lines_counted counted = { q->from, q->to - q->from + 1, r->is_counted };
	int met = 0;

	for (size_t i = h->count; i-- > 0 && !met;)
		met = function_lines_met(h->rows[i]->profile, &wanted, &counted);
	if (q->from == first_line(q))
		r->is_counted[0] = false;
	return met < 0 ? met : 0;
}

/* --- an answer ------------------------------------------------------------------------------------------ */

static int write_text(struct source_request *r, const struct source_text *t)
{
	struct buf *out = &r->request.out;
	int err = buf_printf(out, "{\"schema\":\"pyperf-bpf.source/1\",\"pid\":%d,\"file\":",
			     r->query.pid) ?:
		  buf_add_json(out, r->query.file) ?:
		  buf_printf(out, ",\"from\":%u,\"lines\":[", t->from);

	for (__u32 i = 0; !err && i < t->count; i++)
		err = (i ? buf_add_string(out, ",") : 0) ?: buf_add_json(out, t->lines[i]);
	return err ?: buf_add_string(out, "]}\n");
}

/* The first line that was counted and cannot have been, since this text has nothing there that can run. */
static __u32 find_idle(const struct source_request *r, const struct source_text *t)
{
	for (__u32 i = 0; i <= r->query.to - r->query.from; i++)
		if (r->is_counted[i] && !line_text_can_run(i < t->count ? t->lines[i] : NULL))
			return r->query.from + i;
	return 0;
}

/*
 * Of -ENOENT are told apart: -ESTALE, the file is there, and has another function at this place; -EREMCHG, it
 * was changed, or put there, after the process began; -ENODATA, r->idle cannot have been counted.
 */
static int take_source_text(struct source_request *r, struct worker_reply *reply)
{
	struct source_text text;
	int err = reply->error ?: source_text_parse(reply->table, reply->table_size, &text);

	if (err)
		return err;
	if (text.from != r->query.from || !line_text_begins(text.begins, r->query.name))
		return -ESTALE;
	if (file_change_is_after(text.changed_unix_ns, r->began_unix_ns))
		return -EREMCHG;
	r->idle = find_idle(r, &text);
	return r->idle ? -ENODATA : write_text(r, &text);
}

/* The note is the request. */
static void on_answer(void *asker, const void *note, struct worker_reply *reply)
{
	struct source_request *r = *(struct source_request *const *)note;

	suspended_wake(&r->all->first, &r->request, take_source_text(r, reply));
	eventfd_write(((struct source_requests *)asker)->eventfd, 1);
}

void source_requests_finish(void *requests)
{
	struct source_requests *all = requests;

	if (all->first)
		questions_forget(discover_questions(all->discover), all);
	suspended_wake_all(&all->first, -ECANCELED);
}

/* --- clients -------------------------------------------------------------------------------------------- */

/* In one line. */
static enum MHD_Result answer_source_error(const struct source_request *r)
{
	const struct client *c = &r->request.client;
	const char *file = r->query.file;

	switch (r->request.error) {
	case -ENOENT:
	case -ENOTDIR:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d has no file %s any more", r->query.pid,
				   file);
	case -ESRCH:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d has ended: its files cannot be read",
				   r->query.pid);
	case -ESTALE:
	case -ERANGE:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "%s was changed: the function is not where it was",
				   file);
	case -EREMCHG:
		return answer_line(c, MHD_HTTP_NOT_FOUND,
				   "%s was changed, or put there, after process %d began: what ran may have "
				   "been another text",
				   file, r->query.pid);
	case -ENODATA:
		return answer_line(c, MHD_HTTP_NOT_FOUND,
				   "%s was changed: line %u, which was counted, has nothing that can run",
				   file, r->idle);
	case -EPERM:
	case -EACCES:
	case -ELOOP:
		return answer_line(c, MHD_HTTP_FORBIDDEN,
				   "%s is not read: only a file that the process's user owns, under one "
				   "name, or that everybody may read",
				   file);
	case -EILSEQ:
		return answer_line(c, MHD_HTTP_NOT_FOUND, "%s is no text", file);
	case -EFBIG:
		return answer_line(c, MHD_HTTP_NOT_FOUND,
				   "%s is not read: the lines are not in its first %d MiB", file,
				   SOURCE_FILE_MAX >> 20);
	case -ETIMEDOUT:
	case -EPIPE:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "%s took too long to read", file);
	case -ECANCELED:
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling any more");
	}
	return answer_failure(c, r->request.error);
}

static enum MHD_Result end_source_request(struct suspended *w)
{
	struct source_request *r = (struct source_request *)w;

	if (r->request.error)
		return answer_source_error(r);
	return answer_buf(&r->request.client, MHD_HTTP_OK, TYPE_JSON, &r->request.out);
}

static int ask_worker(struct source_request *r, const struct registry_entry *e)
{
	const struct question q = { on_answer, r->all, &r, sizeof(r), true };
	struct worker_request request = question_request(WORKER_SOURCE_TEXT, e->pid, e->start_time);
	struct source_wanted *wanted = &request.source_text.wanted;

	wanted->begins = first_line(&r->query);
	wanted->from = r->query.from;
	wanted->to = r->query.to;
	strcpy(wanted->path, r->query.file);
	return questions_ask(discover_questions(r->all->discover), &q, &request);
}

static int wait_for_text(struct source_requests *all, const struct source_query *q,
			 const struct registry_entry *e, const struct client *c, struct suspended **ret)
{
	_cleanup_free_ struct source_request *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	*r = (struct source_request){
		.request = suspended_begin(c, end_source_request, suspended_free),
		.all = all,
		.query = *q,
		.began_unix_ns = clock_boot_unix_ns() + (__s64)(e->loads_from ?: e->start_time),
	};
	err = mark_counted(r, all->history) ?: ask_worker(r, e);
	if (err)
		return err;
	*ret = &r->request;
	suspended_add(&all->first, &TAKE_PTR(r)->request);
	return 0;
}

/* Whether text of this function may be given. If not, *ret is the answer. */
static bool may_be_given(const struct source_requests *all, struct source_query *q, const struct client *c,
			 enum MHD_Result *ret)
{
	__u32 last;
	int met = is_met(all->history, q, &last);

	if (met < 0)
		*ret = answer_failure(c, met);
	else if (!met)
		*ret = answer_line(c, MHD_HTTP_NOT_FOUND,
				   "no interval that is kept has this function in stacks of process %d",
				   q->pid);
	else if (!cut_to_function(q, last))
		*ret = answer_line(c, MHD_HTTP_NOT_FOUND,
				   "only lines from %u to %u are given: nothing was counted behind them",
				   first_line(q), last);
	else
		return true;
	return false;
}

enum MHD_Result source_request_begin(struct source_requests *all, enum health health, const struct client *c,
				     struct suspended **ret)
{
	struct client_address address = connection_address(c->connection);
	struct source_search search = { 0 };
	enum MHD_Result result;
	struct source_query q;
	int err;

	if (!all->is_given)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "source is given only with --listen-source");
	if (source_query_read(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	if (health != HEALTH_SAMPLING)
		return health_refuse(health, c);
	if (suspended_are_full(all->first, &address, SOURCE_WAITING_MAX, SOURCE_OF_ONE))
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "as many requests for source wait as there may be");
	if (!may_be_given(all, &q, c, &result))
		return result;
	search.pid = q.pid;
	if (!registry_each(all->registry, take_if_it, &search))
		return answer_line(c, MHD_HTTP_NOT_FOUND, "process %d has ended: its files cannot be read",
				   q.pid);
	err = wait_for_text(all, &q, search.found, c, ret);
	if (err == -EAGAIN)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "as many questions about process %d wait as there may be", q.pid);
	return err ? answer_failure(c, err) : MHD_YES;
}
