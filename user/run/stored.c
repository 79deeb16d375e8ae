// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored.c - see stored.h. Pyroscope 1.x: the call SelectMergeProfile of its QuerierService, over the Connect
 * protocol with messages of protobuf, whose answer is a message of pprof (querier/v1/querier.proto there).
 */
#include "run/stored.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/protobuf.h"
#include "http/token.h"
#include "net/awaited.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/unpacked.h"
#include "recorded/when.h"

#define PYROSCOPE	"pyroscope+"
#define CALL		"/querier.v1.QuerierService/SelectMergeProfile"
#define CPU_TIME	"process_cpu:cpu:nanoseconds:cpu:nanoseconds" /* where the query names no type */
#define PATIENCE	120L /* seconds: a query over many machines may take its time */
#define HOUR_NS		(3600 * (__s64)NS_PER_SECOND)
#define QUERY_MAX	4096

/* Fields of SelectMergeProfileRequest. */
enum { FIELD_TYPE = 1, FIELD_SELECTOR, FIELD_START, FIELD_END };

struct stored_query {
	char type[QUERY_MAX], selector[QUERY_MAX];
	__s64 from_ns, to_ns;
};

bool stored_is_source(const char *text)
{
	return !strncmp(text, PYROSCOPE "http://", strlen(PYROSCOPE "http://")) ||
	       !strncmp(text, PYROSCOPE "https://", strlen(PYROSCOPE "https://"));
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A value of the URL's, whose bytes may be written as %XX. Braces and quotes may stand for themselves. */
static int decode(const char *from, size_t n, char ret[QUERY_MAX])
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		const bool is_coded = from[i] == '%' && i + 2 < n && digit(from[i + 1]) >= 0 &&
				      digit(from[i + 2]) >= 0;

		if (to + 1 >= QUERY_MAX)
			return -E2BIG;
		ret[to++] = is_coded ? (char)(digit(from[i + 1]) << 4 | digit(from[i + 2])) : from[i];
		i += is_coded ? 2 : 0;
	}
	ret[to] = '\0';
	return strlen(ret) == to ? 0 : -EINVAL;
}

/* "TYPE{label="value"}", of which either part may be missing. */
static void split(const char *query, struct stored_query *q)
{
	const char *brace = strchr(query, '{') ?: query + strlen(query);

	snprintf(q->type, sizeof(q->type), "%.*s", (int)(brace - query), query);
	if (!*q->type)
		strcpy(q->type, CPU_TIME);
	snprintf(q->selector, sizeof(q->selector), "%s", *brace ? brace : "{}");
}

static int take_field(const char *key, const char *value, struct stored_query *q)
{
	const __s64 now = (__s64)clock_ns_of(CLOCK_REALTIME);

	if (!strcmp(key, "query"))
		return split(value, q), 0;
	if (strcmp(key, "from") && strcmp(key, "until"))
		return -EINVAL;
	if (!strcmp(value, "now"))
		return *(strcmp(key, "from") ? &q->to_ns : &q->from_ns) = now, 0;
	return when_parse(value, now, strcmp(key, "from") ? &q->to_ns : &q->from_ns);
}

/* More labels into the braces. */
static int narrow(struct stored_query *q, const char *labels)
{
	char all[QUERY_MAX];
	const char *end = strrchr(q->selector, '}');
	const size_t n = end ? (size_t)(end - q->selector) : 0;
	const bool has_some = n > strspn(q->selector, "{ ");

	if (!end || strpbrk(labels, "{}") ||
	    snprintf(all, sizeof(all), "%.*s%s%s}", (int)n, q->selector, has_some ? "," : "", labels) >=
		    (int)sizeof(all))
		return -EINVAL;
	memcpy(q->selector, all, sizeof(all));
	return 0;
}

/* The fields behind the question mark. */
static int parse_fields(const char *at, struct stored_query *q)
{
	char value[QUERY_MAX], key[16];
	int err = 0;

	while (*at && !err) {
		const size_t n = strcspn(at, "&"), k = strcspn(at, "=&");

		if (k >= sizeof(key) || at[k] != '=')
			return -EINVAL;
		snprintf(key, sizeof(key), "%.*s", (int)k, at);
		err = decode(at + k + 1, n - k - 1, value) ?: take_field(key, value, q);
		at += n + (at[n] == '&');
	}
	return err;
}

static int parse(const struct options *o, const char *url, const char *labels, struct stored_query *q)
{
	const char *fields = strchr(url, '?');
	const __s64 now = (__s64)clock_ns_of(CLOCK_REALTIME);
	int err;

	*q = (struct stored_query){ .from_ns = o->from_ns, .to_ns = o->to_ns };
	split("", q);
	/* Everybody on the machine can read a command line. */
	if (memchr(url, '@', strcspn(url, "?")))
		return -EINVAL;
	err = fields ? parse_fields(fields + 1, q) : 0;
	err = err ?: labels ? narrow(q, labels) : 0;
	q->to_ns = q->to_ns ?: now;
	q->from_ns = q->from_ns ?: q->to_ns - HOUR_NS;
	return err ?: q->from_ns >= q->to_ns ? -EINVAL : 0;
}

static int make_body(const struct stored_query *q, struct buf *body)
{
	return protobuf_add_text(body, FIELD_TYPE, q->type) ?:
	       protobuf_add_text(body, FIELD_SELECTOR, q->selector) ?:
	       protobuf_add_number(body, FIELD_START, q->from_ns / NS_PER_MS) ?:
	       protobuf_add_number(body, FIELD_END, q->to_ns / NS_PER_MS);
}

/* What the store says of a failure, which is JSON with a message, or any text; one line of it. */
static int refused(const char *url, long status, struct buf *answer)
{
	_cleanup_buf_ struct buf shown = { 0 };
	struct json_object *json = NULL, *message = NULL;
	const char *text;

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

static int ask(const struct options *o, const char *url, const struct stored_query *q, struct buf *answer)
{
	_cleanup_buf_ struct buf body = { 0 }, address = { 0 };
	_cleanup_free_ char *token = NULL;
	const char *own = url + strlen(PYROSCOPE);
	size_t n = strcspn(own, "?");
	char why[256] = "out of memory";
	struct awaited r = { .type = "application/proto", .body = &body, .ca_file = o->ca_file,
			     .seconds = PATIENCE };
	long status = 0;
	int err = o->token_file ? log_failure(token_read(o->token_file, &token), o->token_file) : 0;

	if (err)
		return err;
	while (n && own[n - 1] == '/')
		n--;
	err = make_body(q, &body) ?: buf_printf(&address, "%.*s" CALL, (int)n, own) ?:
	      buf_add(&address, "", 1);
	r.url = address.data;
	r.token = token;
	err = err ?: awaited_send(&r, answer, &status, why, sizeof(why));
	if (err == -EFBIG)
		snprintf(why, sizeof(why), "the answer has more than %zu MiB", UNPACKED_MAX >> 20);
	if (err)
		log_error("%.*s: %s", (int)strcspn(url, "?"), url, why);
	return err ?: status == 200 ? 0 : refused(url, status, answer);
}

int stored_read(const struct options *o, const char *url, const char *labels, struct recorded *r)
{
	_cleanup_buf_ struct buf answer = { .size_max = UNPACKED_MAX };
	struct stored_query q;
	const char *why;
	int err = parse(o, url, labels, &q);

	if (err) {
		log_error("such a URL is pyroscope+http://HOST/?query={label=\"value\"}&from=-1h&until=now, "
			  "with times as --from has them, and without a user or a password");
		return err;
	}
	err = ask(o, url, &q, &answer);
	if (err || !answer.size)
		return err;
	r->from_ns = r->to_ns = 0; /* the store has chosen */
	err = read_pprof(r, answer.data, answer.size, &why);
	if (err)
		log_error("%.*s: %s", (int)strcspn(url, "?"), url, err == -ENOMEM ? "out of memory" : why);
	return err;
}
