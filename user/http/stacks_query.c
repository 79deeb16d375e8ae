// SPDX-License-Identifier: GPL-2.0-only
#include "http/stacks_query.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define PID_DIGITS_MAX 7
#define PID_MAX	       4194304 /* of Linux: PID_MAX_LIMIT */

static struct stacks_query *stacks_query_of(struct keys *k)
{
	return (struct stacks_query *)((char *)k - offsetof(struct stacks_query, keys));
}

static int set_stacks_pid(struct keys *k, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	int pid = 0;

	if (digits && digits <= PID_DIGITS_MAX && !value[digits])
		sscanf(value, "%d", &pid);
	if (pid < 1 || pid > PID_MAX)
		return keys_fail(k, "pid wants the number of a process, not '%.40s'", value);
	stacks_query_of(k)->pid = pid;
	return 0;
}

static int set_stacks_format(struct keys *k, const char *value)
{
	stacks_query_of(k)->json = !strcmp(value, "json");
	if (!stacks_query_of(k)->json && strcmp(value, "text"))
		return keys_fail(k, "format wants text or json, not '%.40s'", value);
	return 0;
}

static int set_async(struct keys *k, const char *value)
{
	stacks_query_of(k)->async = !strcmp(value, "1");
	if (!stacks_query_of(k)->async && strcmp(value, "0"))
		return keys_fail(k, "async wants 1 or 0, not '%.40s'", value);
	return 0;
}

static int refuse_stacks_key(struct keys *k, const char *name, const char *value)
{
	(void)value;
	return keys_fail(k, "'%.40s' is unknown: there are pid, format, async", name);
}

static const struct key rows[] = {
	{ "pid", set_stacks_pid },
	{ "format", set_stacks_format },
	{ "async", set_async },
};

const struct key_table stacks_query_keys = { rows, ARRAY_SIZE(rows), refuse_stacks_key };

int stacks_query_read(struct stacks_query *q, struct MHD_Connection *connection)
{
	*q = (struct stacks_query){ 0 };
	return keys_read(&q->keys, &stacks_query_keys, connection);
}
