// SPDX-License-Identifier: GPL-2.0-only
#include "http/source_query.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define DIGITS_MAX 9
#define PID_MAX	   4194304 /* of Linux: PID_MAX_LIMIT */

static struct source_query *source_query_of(struct keys *k)
{
	return (struct source_query *)((char *)k - offsetof(struct source_query, keys));
}

static int set_number(struct keys *k, const char *key, const char *value, __u32 least, __u32 most, __u32 *ret)
{
	const size_t digits = strspn(value, "0123456789");
	const unsigned long n = digits <= DIGITS_MAX ? strtoul(value, NULL, 10) : 0;

	if (!digits || digits > DIGITS_MAX || value[digits] || n < least || n > most)
		return keys_fail(k, "%s wants a number from %u on, not '%.40s'", key, least, value);
	*ret = n;
	return 0;
}

static int set_source_pid(struct keys *k, const char *value)
{
	__u32 pid = 0;
	int err = set_number(k, "pid", value, 1, PID_MAX, &pid);

	source_query_of(k)->pid = pid;
	return err;
}

static int set_line(struct keys *k, const char *value)
{
	return set_number(k, "line", value, 0, ~0U, &source_query_of(k)->line);
}

static int set_first_line(struct keys *k, const char *value)
{
	return set_number(k, "from", value, 1, ~0U, &source_query_of(k)->from);
}

static int set_last_line(struct keys *k, const char *value)
{
	return set_number(k, "to", value, 1, ~0U, &source_query_of(k)->to);
}

static int set_name(struct keys *k, const char *value)
{
	if (!*value || strlen(value) >= SOURCE_QUERY_NAME_SIZE)
		return keys_fail(k, "name wants the name of a function, of %d bytes at most",
				 SOURCE_QUERY_NAME_SIZE - 1);
	strcpy(source_query_of(k)->name, value);
	return 0;
}

static int set_file(struct keys *k, const char *value)
{
	if (!source_text_is_shown(value))
		return keys_fail(k, "file wants the whole path of a .py file, not '%.200s'", value);
	strcpy(source_query_of(k)->file, value);
	return 0;
}

static int refuse_source_key(struct keys *k, const char *name, const char *value)
{
	(void)value;
	return keys_fail(k, "'%.40s' is unknown: there are pid, name, file, line, from, to", name);
}

static const struct key rows[] = {
	{ "pid", set_source_pid },   { "name", set_name }, { "file", set_file },
	{ "line", set_line }, { "from", set_first_line }, { "to", set_last_line },
};

const struct key_table source_query_keys = { rows, ARRAY_SIZE(rows), refuse_source_key };

int source_query_end(struct source_query *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!(q->keys.seen & 1U << i))
			return keys_fail(&q->keys, "%s is missing: %s=...", rows[i].name, rows[i].name);
	if (q->to < q->from || q->to - q->from >= SOURCE_LINES_MAX)
		return keys_fail(&q->keys, "from and to want 1 to %d lines", SOURCE_LINES_MAX);
	return 0;
}

int source_query_read(struct source_query *q, struct MHD_Connection *connection)
{
	*q = (struct source_query){ 0 };
	return keys_read(&q->keys, &source_query_keys, connection) ?: source_query_end(q);
}
