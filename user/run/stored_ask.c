// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored_ask.c - see stored_ask.h. Pyroscope 1.x: calls of its QuerierService, over the Connect protocol with
 * messages of protobuf (querier/v1/querier.proto there). A merged profile is a message of pprof.
 */
#include "run/stored_ask.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/protobuf.h"
#include "base/wire.h"
#include "http/token.h"
#include "net/awaited.h"
#include "recorded/unpacked.h"

#define SERVICE	 "/querier.v1.QuerierService/"
#define PATIENCE 120L /* seconds: a query over many machines may take its time */

/* Fields of SelectMergeProfileRequest, which begin SelectSeriesRequest as well. */
enum { FIELD_TYPE = 1, FIELD_SELECTOR, FIELD_START, FIELD_END, FIELD_GROUP_BY, FIELD_STEP };
/* SelectSeriesResponse.series; Series.labels; LabelPair.name, .value */
enum { FIELD_SERIES = 1, FIELD_LABELS = 1, FIELD_NAME = 1, FIELD_VALUE = 2 };

int stored_ask_open(struct stored_asker *a, const struct options *o, const struct stored_query *q)
{
	*a = (struct stored_asker){ .options = o, .query = q };
	return o->token_file ? log_failure(token_read(o->token_file, &a->token), o->token_file) : 0;
}

void stored_ask_close(struct stored_asker *a)
{
	free(a->token);
	a->token = NULL;
}

/* What the store says of a failure, which is JSON with a message, or any text; one line of it. */
static int refused(const char *url, long status, struct buf *answer)
{
	_cleanup_buf_ struct buf shown = { 0 };
	struct json_object *json = NULL, *message = NULL;
	const char *text;

	answer->size_max = 0;
	if (buf_add(answer, "", 1))
		return -ENOMEM;
	text = answer->data;
	json = json_tokener_parse(answer->data);
	if (json_object_object_get_ex(json, "message", &message))
		text = json_object_get_string(message);
	if (!buf_add_shown(&shown, text ?: "", false))
		log_error("%.*s: the answer is %ld%s%.*s", (int)strcspn(url, "?"), url, status,
			  shown.size ? ": " : "", shown.size > 200 ? 200 : (int)shown.size, shown.data ?: "");
	json_object_put(json);
	return -EPROTO;
}

static int add_query(const struct stored_asker *a, const char *type, const char *selector, struct buf *body)
{
	return protobuf_add_text(body, FIELD_TYPE, type) ?:
	       protobuf_add_text(body, FIELD_SELECTOR, selector) ?:
	       protobuf_add_number(body, FIELD_START, a->query->from_ns / NS_PER_MS) ?:
	       protobuf_add_number(body, FIELD_END, a->query->to_ns / NS_PER_MS);
}

int stored_ask_post(const struct stored_asker *a, const char *path, struct awaited *r, struct buf *answer)
{
	const struct stored_query *q = a->query;
	_cleanup_buf_ struct buf address = { 0 };
	char why[256] = "out of memory";
	long status = 0;
	int err = buf_printf(&address, "%.*s%s", (int)q->own_size, q->own, path) ?: buf_add(&address, "", 1);

	r->url = address.data;
	r->ca_file = a->options->ca_file;
	r->token = a->token;
	r->header_file = a->options->header_file;
	r->tenant = *q->tenant ? q->tenant : NULL;
	r->seconds = PATIENCE;
	err = err ?: awaited_send(r, answer, &status, why, sizeof(why));
	if (err == -EFBIG)
		snprintf(why, sizeof(why), "the answer has more than %zu MiB", answer->size_max >> 20);
	if (err)
		log_error("%.*s: %s", (int)strcspn(q->url, "?"), q->url, why);
	return err ?: status == 200 ? 0 : refused(q->url, status, answer);
}

static int ask_pyroscope(const struct stored_asker *a, const char *path, const struct buf *body,
			 struct buf *answer)
{
	struct awaited r = { .type = "application/proto", .body = body };

	return stored_ask_post(a, path, &r, answer);
}

int stored_ask_profile(const struct stored_asker *a, const char *type, const char *selector,
		       struct buf *answer)
{
	_cleanup_buf_ struct buf body = { 0 };
	int err = log_failure(add_query(a, type, selector, &body), "the query");

	answer->size_max = UNPACKED_MAX;
	if (a->query->kind == STORED_PARCA)
		return err ?: stored_parca_profile(a, type, selector, answer);
	return err ?: ask_pyroscope(a, SERVICE "SelectMergeProfile", &body, answer);
}

/* --- nodes ---------------------------------------------------------------------------------------------- */

/* Such a name can be part of a query, as it is or in an expression. */
static bool is_name(struct wire text)
{
	const size_t n = text.end - text.at;

	for (const __u8 *c = text.at; c < text.end; c++)
		if (!((*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z') || *c == '.' ||
		      *c == '-' || *c == '_' || *c == ':'))
			return false;
	return n && n < STORED_NODE_SIZE;
}

static bool is_text(struct wire text, const char *wanted)
{
	return (size_t)(text.end - text.at) == strlen(wanted) && !memcmp(text.at, wanted, strlen(wanted));
}

int stored_ask_add_name(struct wire text, struct buf *ret)
{
	struct stored_node node = { 0 };

	if (!is_name(text) || ret->size / sizeof(node) == STORED_VALUES_MAX)
		return 0;
	memcpy(node.name, text.at, text.end - text.at);
	return buf_add(ret, &node, sizeof(node));
}

static int take_label(struct wire label, const char *wanted, struct buf *ret)
{
	struct wire name = { 0 }, value = { 0 };
	struct wire_field f;
	int more;

	while ((more = wire_next(&label, &f)) > 0)
		if (f.type == WIRE_BYTES)
			*(f.number == FIELD_NAME ? &name : &value) = f.bytes;
	if (more < 0 || !name.at || !value.at || !is_text(name, wanted))
		return more;
	return stored_ask_add_name(value, ret);
}

static int take_series(struct wire series, const char *label, struct buf *ret)
{
	struct wire_field f;
	int more, err = 0;

	while (!err && (more = wire_next(&series, &f)) > 0)
		if (f.number == FIELD_LABELS && f.type == WIRE_BYTES)
			err = take_label(f.bytes, label, ret);
	return err ?: more;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct stored_node *)a)->name, ((const struct stored_node *)b)->name);
}

static void sort_once(struct buf *nodes)
{
	struct stored_node *all = (struct stored_node *)nodes->data;
	size_t n = nodes->size / sizeof(*all), kept = 0;

	if (n)
		qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(all[kept - 1].name, all[i].name))
			all[kept++] = all[i];
	nodes->size = kept * sizeof(*all);
}

int stored_ask_nodes(const struct stored_asker *a, const char *label, struct buf *ret)
{
	_cleanup_buf_ struct buf body = { 0 }, answer = { .size_max = STORED_ANSWER_MAX };
	/* Sums of steps are made, the first of them before the begin: short ones, as nobody looks at them. */
	const double step = (double)(a->query->to_ns - a->query->from_ns) / NS_PER_SECOND / 60;
	struct wire_field f;
	struct wire w;
	__u64 bits;
	int more = 0, err;

	if (a->query->kind == STORED_PARCA) {
		err = stored_parca_nodes(a, label, ret);
		sort_once(ret);
		return err;
	}
	memcpy(&bits, &step, sizeof(bits));
	err = add_query(a, a->query->type, a->query->selector, &body) ?:
	      protobuf_add_text(&body, FIELD_GROUP_BY, label) ?:
	      protobuf_add_fixed64(&body, FIELD_STEP, bits);
	err = log_failure(err, "the query") ?: ask_pyroscope(a, SERVICE "SelectSeries", &body, &answer);
	w = wire_of(answer.data, answer.size);
	while (!err && (more = wire_next(&w, &f)) > 0)
		if (f.number == FIELD_SERIES && f.type == WIRE_BYTES)
			err = take_series(f.bytes, label, ret);
	if (!err && more < 0)
		err = more;
	if (err == -EBADMSG)
		log_error("%.*s: the answer with nodes is damaged", (int)strcspn(a->query->url, "?"),
			  a->query->url);
	sort_once(ret);
	return err;
}
