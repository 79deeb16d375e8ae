// SPDX-License-Identifier: GPL-2.0-only
#include "run/stored_query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "recorded/when.h"

#define CPU_TIME  "process_cpu:cpu:nanoseconds:cpu:nanoseconds" /* where the query names no type */
#define DELTA	  ":delta" /* as Parca calls what was counted in a time */
#define HOUR_NS	  (3600 * (__s64)NS_PER_SECOND)

bool stored_query_is(const char *text, enum stored_kind *ret_kind)
{
	static const char *const begins[][2] = {
		[STORED_PYROSCOPE] = { "pyroscope+http://", "pyroscope+https://" },
		[STORED_PARCA] = { "parca+http://", "parca+https://" },
	};

	for (int kind = 0; kind < 2; kind++)
		for (int i = 0; i < 2; i++)
			if (!strncmp(text, begins[kind][i], strlen(begins[kind][i]))) {
				if (ret_kind)
					*ret_kind = kind;
				return true;
			}
	return false;
}

int stored_query_narrow(const char *selector, const char *labels, struct buf *ret)
{
	const char *end = strrchr(selector, '}');
	const size_t n = end ? (size_t)(end - selector) : 0;
	const bool has_some = n > strspn(selector, "{ ");

	if (!end)
		return -EINVAL;
	return buf_printf(ret, "%.*s%s%s}", (int)n, selector, has_some ? "," : "", labels) ?:
	       buf_add(ret, "", 1);
}

/* NAME:TYPE:UNIT:PERIOD'S TYPE:PERIOD'S UNIT */
bool stored_query_type(const struct stored_query *q, const char *type, const char *unit,
		       char ret[STORED_QUERY_MAX])
{
	const char *first = strchr(q->type, ':'), *second = first ? strchr(first + 1, ':') : NULL,
		   *rest = second ? strchr(second + 1, ':') : NULL;

	if (!rest)
		return false;
	return snprintf(ret, STORED_QUERY_MAX, "%.*s:%s:%s%s", (int)(first - q->type), q->type, type, unit,
			rest) < STORED_QUERY_MAX;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A value of the URL's, whose bytes may be written as %XX. Braces and quotes may stand for themselves. */
static int decode(const char *from, size_t n, char ret[STORED_QUERY_MAX])
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		const bool is_coded =
			from[i] == '%' && i + 2 < n && digit(from[i + 1]) >= 0 && digit(from[i + 2]) >= 0;

		if (to + 1 >= STORED_QUERY_MAX)
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
		strcpy(q->type, q->kind == STORED_PARCA ? CPU_TIME DELTA : CPU_TIME);
	snprintf(q->selector, sizeof(q->selector), "%s", *brace ? brace : "{}");
}

/* It becomes a header: as tenants of such stores may be called. */
static int take_tenant(const char *value, struct stored_query *q)
{
	static const char may[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!-_.*'()|";

	if (!*value || value[strspn(value, may)] || strlen(value) >= sizeof(q->tenant))
		return -EINVAL;
	strcpy(q->tenant, value);
	return 0;
}

static int take_field(const char *key, const char *value, __s64 now, struct stored_query *q)
{
	if (!strcmp(key, "query"))
		return split(value, q), 0;
	if (!strcmp(key, "tenant"))
		return take_tenant(value, q);
	if (strcmp(key, "from") && strcmp(key, "until"))
		return -EINVAL;
	if (!strcmp(value, "now"))
		return *(strcmp(key, "from") ? &q->to_ns : &q->from_ns) = now, 0;
	return when_parse(value, now, strcmp(key, "from") ? &q->to_ns : &q->from_ns);
}

/* The fields behind the question mark. */
static int parse_fields(const char *at, __s64 now, struct stored_query *q)
{
	char value[STORED_QUERY_MAX], key[16];
	int err = 0;

	while (*at && !err) {
		const size_t n = strcspn(at, "&"), k = strcspn(at, "=&");

		if (k >= sizeof(key) || at[k] != '=')
			return -EINVAL;
		snprintf(key, sizeof(key), "%.*s", (int)k, at);
		err = decode(at + k + 1, n - k - 1, value) ?: take_field(key, value, now, q);
		at += n + (at[n] == '&');
	}
	return err;
}

static int narrow(struct stored_query *q, const char *labels)
{
	_cleanup_buf_ struct buf all = { .size_max = STORED_QUERY_MAX };

	if (strpbrk(labels, "{}") || stored_query_narrow(q->selector, labels, &all))
		return -EINVAL;
	strcpy(q->selector, all.data);
	return 0;
}

int stored_query_parse(const struct options *o, const char *url, const char *labels, struct stored_query *q)
{
	const char *fields = strchr(url, '?');
	const __s64 now = (__s64)clock_ns_of(CLOCK_REALTIME);
	int err;

	*q = (struct stored_query){ .url = url, .from_ns = o->from_ns, .to_ns = o->to_ns };
	stored_query_is(url, &q->kind);
	q->own = strchr(url, '+') + 1;
	q->own_size = strcspn(q->own, "?");
	while (q->own_size && q->own[q->own_size - 1] == '/')
		q->own_size--;
	split("", q);
	/* Everybody on the machine can read a command line. */
	if (memchr(url, '@', strcspn(url, "?")))
		return -EINVAL;
	err = fields ? parse_fields(fields + 1, now, q) : 0;
	err = err ?: labels ? narrow(q, labels) : 0;
	q->to_ns = q->to_ns ?: now;
	q->from_ns = q->from_ns ?: q->to_ns - HOUR_NS;
	return err ?: q->from_ns >= q->to_ns ? -EINVAL : 0;
}
