// SPDX-License-Identifier: GPL-2.0-only
#include "http/query.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

static struct query *query_of(struct keys *k)
{
	return (struct query *)((char *)k - offsetof(struct query, keys));
}

void query_begin(struct query *q)
{
	*q = (struct query){ .seconds = QUERY_SECONDS };
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

static int set_filter(struct keys *k, const char *key, const char *value)
{
	int err = profile_filter_set(&query_of(k)->filter, key, value);
	char keys[FILTER_KEYS_SIZE];

	if (err == -ENOENT) {
		profile_filter_keys(keys);
		return keys_fail(k, "'%.40s' is unknown: there are seconds, format, hide, type%s", key, keys);
	}
	if (err)
		return keys_fail(k, "%s cannot be '%.40s', or is there twice", key, value);
	return 0;
}

static const struct key rows[] = {
	{ "seconds", set_seconds },
	{ "format", set_format },
	{ "hide", set_hide },
	{ "type", set_type },
};

static const struct key_table table = { rows, ARRAY_SIZE(rows), set_filter };

int query_add(struct query *q, const char *key, const char *value)
{
	return keys_add(&q->keys, &table, key, value);
}

int query_read(struct query *q, struct MHD_Connection *connection)
{
	query_begin(q);
	return keys_read(&q->keys, &table, connection);
}
