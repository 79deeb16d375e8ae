// SPDX-License-Identifier: GPL-2.0-only
#include "http/query.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static int fail(struct query *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line goes back to who sent it; what is not printable ASCII was theirs. */
static int fail(struct query *q, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(q->error, sizeof(q->error), format, args);
	va_end(args);
	for (char *s = q->error; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
	return -EINVAL;
}

void query_begin(struct query *q)
{
	*q = (struct query){ .seconds = QUERY_SECONDS };
}

static int set_seconds(struct query *q, const char *value)
{
	int n = 0;

	for (const char *s = value; *s; s++) {
		if (*s < '0' || *s > '9')
			n = QUERY_SECONDS_MAX + 1;
		if (n <= QUERY_SECONDS_MAX)
			n = n * 10 + (*s - '0');
	}
	if (n < 1 || n > QUERY_SECONDS_MAX)
		return fail(q, "seconds wants a whole number from 1 to %d, not '%.40s'", QUERY_SECONDS_MAX,
			    value);
	q->seconds = n;
	return 0;
}

static int set_format(struct query *q, const char *value)
{
	int format = format_find(value);

	if (format < 0)
		return fail(q, "format wants %s, not '%.40s'", format_names, value);
	q->format = format;
	return 0;
}

static int set_hide(struct query *q, const char *value)
{
	if (strcmp(value, "native"))
		return fail(q, "hide wants native, not '%.40s'", value);
	q->filter.hide_native = true;
	return 0;
}

static int set_type(struct query *q, const char *value)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		if (strcmp(event_rows[kind].key, value))
			continue;
		q->filter.events = EVENT_BIT(kind);
		return 0;
	}
	return fail(q, "type wants a kind of event, such as cpu or offcpu, not '%.40s'", value);
}

static int set_filter(struct query *q, const char *key, const char *value)
{
	int err = profile_filter_set(&q->filter, key, value);
	char keys[FILTER_KEYS_SIZE];

	if (err == -ENOENT) {
		profile_filter_keys(keys);
		return fail(q, "'%.40s' is unknown: there are seconds, format, hide, type%s", key, keys);
	}
	if (err)
		return fail(q, "%s cannot be '%.40s', or is there twice", key, value);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct query *q, const char *value);
} settings[] = {
	{ "seconds", set_seconds },
	{ "format", set_format },
	{ "hide", set_hide },
	{ "type", set_type },
};

static int once(struct query *q, unsigned int bit, const char *key)
{
	if (q->seen & 1U << bit)
		return fail(q, "%s is there twice", key);
	q->seen |= 1U << bit;
	return 0;
}

int query_add(struct query *q, const char *key, const char *value)
{
	if (*q->error)
		return -EINVAL;
	if (!value)
		return fail(q, "'%.40s' wants a value: %.40s=...", key, key);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].key, key))
			return once(q, i, key) ?: settings[i].set(q, value);
	return set_filter(q, key, value);
}

static enum MHD_Result add_key(void *query, enum MHD_ValueKind kind, const char *key, const char *value)
{
	(void)kind;
	return query_add(query, key, value) ? MHD_NO : MHD_YES;
}

int query_read(struct query *q, struct MHD_Connection *connection)
{
	query_begin(q);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_key, q);
	return *q->error ? -EINVAL : 0;
}
