// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored.c - see stored.h. A store answers a question with one sample type at a time: so the number of ticks,
 * their time and the books that were pushed with them are three questions. What it adds up has no labels:
 * so each node that is to be told apart is a question of its own.
 */
#include "run/stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "run/stored_ask.h"

#define NODE "node" /* the label that pushes have */

bool stored_is_source(const char *text)
{
	return stored_query_is(text, NULL);
}

bool stored_is_permitted(const char *text)
{
	const char *store = getenv(STORED_PERMITTED);
	size_t n = store ? strlen(store) : 0;

	while (n && store[n - 1] == '/')
		n--;
	return n && !strncmp(text, store, n) && text[n + strspn(text + n, "/")] == '?';
}

static int read_answer(const struct stored_query *q, struct buf *answer, struct recorded *r)
{
	const char *why;
	int err = answer->size ? read_pprof(r, answer->data, answer->size, &why) : 0;

	if (err)
		log_error("%.*s: %s", (int)strcspn(q->url, "?"), q->url,
			  err == -ENOMEM ? "out of memory" : why);
	return err;
}

static int add_type(const struct stored_asker *a, const char *type, const char *selector, struct recorded *r)
{
	_cleanup_buf_ struct buf answer = { 0 };

	return stored_ask_profile(a, type, selector, &answer) ?: read_answer(a->query, &answer, r);
}

/* Ticks are what chance is judged by. Parca answers a question for them with their time once more. */
static int add_profile(const struct stored_asker *a, const char *selector, struct recorded *r)
{
	const char *type = a->query->type;
	char ticks[STORED_QUERY_MAX];
	int err = 0;

	if (a->query->kind != STORED_PARCA && strstr(type, ":cpu:nanoseconds:") &&
	    stored_query_type(a->query, "samples", "count", ticks))
		err = add_type(a, ticks, selector, r);
	err = err ?: add_type(a, type, selector, r);
	r->default_type = 0; /* the last one, which was asked for */
	return err;
}

static int add_books(const struct stored_asker *a, struct recorded *r)
{
	_cleanup_recorded_ struct recorded books = { .is_wary = r->is_wary };
	struct pushed_books *to = &r->pushed[r->is_base];
	char type[STORED_QUERY_MAX];
	int err;

	if (!stored_query_type(a->query, CARRIED_TYPE, "count", type))
		return 0;
	to->is_store = true;
	err = add_type(a, type, a->query->selector, &books);
	if (!err)
		pushed_books_add(to, &books);
	return err;
}

/* 'node="NAME"', or of those that are not told apart 'node!~"NAME|..."'. */
static int add_node_label(const char *before, const char *name, struct buf *b)
{
	int err = buf_add_string(b, before);

	for (; *name && !err; name++)
		err = *name == '.' && strchr(before, '~') ? buf_add_string(b, "[.]") : buf_add(b, name, 1);
	return err;
}

static int add_node(const struct stored_asker *a, const struct stored_node *node, struct recorded *r)
{
	_cleanup_buf_ struct buf label = { 0 }, selector = { 0 };
	int err = add_node_label(NODE "=\"", node->name, &label) ?: buf_add(&label, "\"", 2) ?:
		  stored_query_narrow(a->query->selector, label.data, &selector);

	r->node = node->name;
	err = log_failure(err, "the query") ?: add_profile(a, selector.data, r);
	r->node = NULL;
	return err;
}

static int add_others(const struct stored_asker *a, const struct stored_node *nodes, size_t count,
		      size_t every, struct recorded *r)
{
	_cleanup_buf_ struct buf label = { 0 }, selector = { 0 };
	int err = 0;

	for (size_t i = 0; i < count && !err; i += every)
		err = add_node_label(i ? "|" : NODE "!~\"", nodes[i].name, &label);
	err = err ?: buf_add(&label, "\"", 2) ?:
	      stored_query_narrow(a->query->selector, label.data, &selector);
	return log_failure(err, "the query") ?: add_profile(a, selector.data, r);
}

/* Of many nodes some are told apart, each so many-th by their names; the others stay one. */
static int add_nodes(const struct stored_asker *a, struct recorded *r)
{
	_cleanup_buf_ struct buf found = { 0 };
	const struct stored_node *nodes;
	size_t count, every;
	int err = stored_ask_nodes(a, NODE, &found);

	nodes = (const struct stored_node *)found.data;
	count = found.size / sizeof(*nodes);
	every = (count + STORED_NODES_MAX - 1) / STORED_NODES_MAX;
	r->nodes[r->is_base] = count;
	if (err || !count)
		return err ?: add_profile(a, a->query->selector, r);
	for (size_t i = 0; i < count && !err; i += every)
		err = add_node(a, &nodes[i], r);
	return err ?: add_others(a, nodes, count, every, r);
}

/* A store says when it was of its answer, not of what is in that. */
static void set_times(struct recorded *r, const struct recorded *before, const struct stored_query *q)
{
	r->start_ns = before->start_ns && before->start_ns < q->from_ns ? before->start_ns : q->from_ns;
	r->end_ns = before->end_ns > q->to_ns ? before->end_ns : q->to_ns;
	r->duration_ns = recorded_sum(before->duration_ns, q->to_ns - q->from_ns);
	r->files = before->files + 1;
}

int stored_read(const struct options *o, const char *url, const char *labels, bool by_node,
		struct recorded *r)
{
	const struct recorded before = { .start_ns = r->start_ns, .end_ns = r->end_ns,
					 .duration_ns = r->duration_ns, .files = r->files };
	struct stored_asker asker;
	struct stored_query q;
	int err = stored_query_parse(o, url, labels, &q);

	if (err) {
		log_error("such a URL is pyroscope+http://HOST/?query={label=\"value\"}&from=-1h&until=now, "
			  "or parca+..., with times as --from has them, and without a user or a password");
		return err;
	}
	err = stored_ask_open(&asker, o, &q);
	r->from_ns = r->to_ns = 0; /* the store has chosen */
	r->has_otlp = true;	   /* it answers with one type after the other */
	err = err ?: by_node ? add_nodes(&asker, r) : add_profile(&asker, q.selector, r);
	if (!err && r->files > before.files) {
		set_times(r, &before, &q);
		err = add_books(&asker, r);
	}
	stored_ask_close(&asker);
	return err;
}
