// SPDX-License-Identifier: GPL-2.0-only
#include "http/query.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"

#define SECONDS_LENGTH_MAX 24 /* characters of a number of seconds */
#define STRETCH_SECONDS_MAX 1e10 /* 300 years; as nanoseconds in 64 bits */

static struct query *query_of(struct keys *k)
{
	return (struct query *)((char *)k - offsetof(struct query, keys));
}

void query_begin(struct query *q)
{
	*q = (struct query){ .seconds = QUERY_SECONDS, .top = QUERY_TOP };
}

static int set_seconds(struct keys *k, const char *value)
{
	int n = 0;

	for (const char *s = value; *s; s++) {
		if (*s < '0' || *s > '9')
			n = QUERY_SECONDS_MAX + 1;
		if (n <= QUERY_SECONDS_MAX)
			n = n * 10 + (*s - '0');
	}
	if (n < 1 || n > QUERY_SECONDS_MAX)
		return keys_fail(k, "seconds wants a whole number from 1 to %d, not '%.40s'",
				 QUERY_SECONDS_MAX, value);
	query_of(k)->seconds = n;
	return 0;
}

static int set_format(struct keys *k, const char *value)
{
	int format = format_find(value);

	if (format < 0)
		return keys_fail(k, "format wants %s, not '%.40s'", format_names, value);
	query_of(k)->format = format;
	return 0;
}

static int set_hide(struct keys *k, const char *value)
{
	if (strcmp(value, "native"))
		return keys_fail(k, "hide wants native, not '%.40s'", value);
	query_of(k)->filter.hide_native = true;
	return 0;
}

static int set_type(struct keys *k, const char *value)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		if (strcmp(event_rows[kind].key, value))
			continue;
		query_of(k)->filter.events = EVENT_BIT(kind);
		return 0;
	}
	return keys_fail(k, "type wants a kind of event, such as cpu or offcpu, not '%.40s'", value);
}

static int set_other(struct keys *k, const char *key, const char *value, const char *there_are)
{
	int err = profile_filter_set(&query_of(k)->filter, key, value);
	char keys[FILTER_KEYS_SIZE];

	if (err == -ENOENT) {
		profile_filter_keys(keys);
		return keys_fail(k, "'%.40s' is unknown: there are %s, format, hide, type%s", key, there_are,
				 keys);
	}
	if (err)
		return keys_fail(k, "%s cannot be '%.40s', or is there twice", key, value);
	return 0;
}

static int set_filter(struct keys *k, const char *key, const char *value)
{
	return set_other(k, key, value, "seconds");
}

static int set_filter_log(struct keys *k, const char *key, const char *value)
{
	return set_other(k, key, value, "last, from, to, trace, top");
}

/* Seconds, as 12 or 12.5; of a date as many as there are since 1970. 0, or -EINVAL. */
static int parse_seconds(const char *value, double *ret)
{
	const size_t n = strspn(value, "0123456789.");
	char *end;
	double number = strtod(value, &end);

	if (!n || n > SECONDS_LENGTH_MAX || value[n] || *end || number <= 0 || number > STRETCH_SECONDS_MAX)
		return -EINVAL;
	*ret = number;
	return 0;
}

static int set_last(struct keys *k, const char *value)
{
	return parse_seconds(value, &query_of(k)->last) ?
		       keys_fail(k, "last wants seconds, such as 30, not '%.40s'", value) :
		       0;
}

static int set_from(struct keys *k, const char *value)
{
	return parse_seconds(value, &query_of(k)->from) ?
		       keys_fail(k, "from wants seconds since 1970 (date +%%s), not '%.40s'", value) :
		       0;
}

static int set_to(struct keys *k, const char *value)
{
	return parse_seconds(value, &query_of(k)->to) ?
		       keys_fail(k, "to wants seconds since 1970 (date +%%s), not '%.40s'", value) :
		       0;
}

static int set_trace(struct keys *k, const char *value)
{
	return trace_wanted_parse(value, &query_of(k)->trace) ?
		       keys_fail(k, "trace wants the 32 hexadecimal digits of an id, or each, not '%.40s'",
				 value) :
		       0;
}

static const char *const form_names[QUERY_FORMS] = {
	[FORM_GRAPH] = "graph",
	[FORM_HEAT] = "heat",
	[FORM_REPORT] = "report",
	[FORM_REPORT_JSON] = "report-json",
};

/* FORM_NONE: it is none of these up to `last`. */
static enum query_form find_form(const char *name, enum query_form last)
{
	for (enum query_form form = FORM_GRAPH; form <= last; form++)
		if (!strcmp(form_names[form], name))
			return form;
	return FORM_NONE;
}

static int set_format_interval(struct keys *k, const char *value)
{
	query_of(k)->form = find_form(value, FORM_GRAPH);
	return query_of(k)->form ? 0 : set_format(k, value);
}

static int set_format_log(struct keys *k, const char *value)
{
	query_of(k)->form = find_form(value, FORM_REPORT_JSON);
	if (query_of(k)->form)
		return 0;
	if (format_find(value) < 0)
		return keys_fail(k, "format wants %s, report or report-json, not '%.40s'", format_names,
				 value);
	return set_format(k, value);
}

static int set_top(struct keys *k, const char *value)
{
	const size_t digits = strspn(value, "0123456789");
	const long n = strtol(value, NULL, 10);

	if (!digits || digits > 7 || value[digits] || n > QUERY_TOP_MAX)
		return keys_fail(k, "top wants a whole number up to %d, not '%.40s'", QUERY_TOP_MAX, value);
	query_of(k)->top = n;
	return 0;
}

static const struct key rows[] = {
	{ "seconds", set_seconds },
	{ "format", set_format },
	{ "hide", set_hide },
	{ "type", set_type },
};

static const struct key log_rows[] = {
	{ "last", set_last },
	{ "from", set_from },
	{ "to", set_to },
	{ "trace", set_trace }, /* the first so many: */
#define ORDER_ROWS 4
	{ "top", set_top },
	{ "format", set_format_log },
	{ "hide", set_hide },
	{ "type", set_type },
};

static int refuse_filter(struct keys *k, const char *key, const char *value)
{
	(void)value;
	return keys_fail(k, "'%.40s' is unknown: there are last, from, to, trace", key);
}

const struct key_table query_keys = { rows, ARRAY_SIZE(rows), set_filter };
const struct key_table query_log_keys = { log_rows, ARRAY_SIZE(log_rows), set_filter_log };
static const struct key_table order_table = { log_rows, ORDER_ROWS, refuse_filter };

int query_read(struct query *q, struct MHD_Connection *connection)
{
	query_begin(q);
	return keys_read(&q->keys, &query_keys, connection);
}

static int read_stretch(struct query *q, const struct key_table *keys, struct MHD_Connection *connection)
{
	query_begin(q);
	q->of_log = true;
	if (keys_read(&q->keys, keys, connection))
		return -EINVAL;
	if (q->last > 0 && (q->from > 0 || q->to > 0))
		return keys_fail(&q->keys, "last goes without from and to");
	if (q->to > 0 && q->to <= q->from)
		return keys_fail(&q->keys, "to has to be after from");
	if (q->form >= FORM_REPORT && !q->trace.one)
		return keys_fail(&q->keys, "format=report is of one trace, which trace=ID names");
	return 0;
}

int query_read_log(struct query *q, struct MHD_Connection *connection)
{
	return read_stretch(q, &query_log_keys, connection);
}

int query_read_log_order(struct query *q, struct MHD_Connection *connection)
{
	return read_stretch(q, &order_table, connection);
}

/* Of a date; 0 for one before the clock began. */
static __u64 monotonic(double date, __u64 ahead)
{
	const __u64 ns = date * NS_PER_SECOND;

	return ns > ahead ? ns - ahead : 0;
}

void query_stretch(const struct query *q, __u64 oldest, __u64 *ret_from, __u64 *ret_to)
{
	const __u64 now = clock_ns(), ahead = clock_unix_ahead_ns();
	const __u64 to = q->to > 0 ? monotonic(q->to, ahead) : now;
	__u64 from = q->from > 0 ? monotonic(q->from, ahead) : 0;

	if (q->last > 0)
		from = now > q->last * NS_PER_SECOND ? now - q->last * NS_PER_SECOND : 0;
	*ret_from = from > oldest ? from : oldest;
	*ret_to = to < now ? to : now;
}

/* --- intervals that are kept --------------------------------------------------------------------------- */

static int set_filter_interval(struct keys *k, const char *key, const char *value)
{
	return set_other(k, key, value, "from, to");
}

static const struct key interval_rows[] = {
	{ "from", set_from },
	{ "to", set_to },
	{ "format", set_format_interval },
	{ "hide", set_hide },
	{ "type", set_type },
};

static const struct key_table interval_table = { interval_rows, ARRAY_SIZE(interval_rows),
						 set_filter_interval };

int query_read_interval(struct query *q, struct MHD_Connection *connection)
{
	query_begin(q);
	q->form = FORM_GRAPH;
	if (keys_read(&q->keys, &interval_table, connection))
		return -EINVAL;
	if (q->to > 0 && q->to <= q->from)
		return keys_fail(&q->keys, "to has to be after from");
	return 0;
}
