// SPDX-License-Identifier: GPL-2.0-only
#include "http/stacks_query.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define PID_DIGITS_MAX 7
#define PID_MAX	       4194304 /* of Linux: PID_MAX_LIMIT */

static int fail(struct stacks_query *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line goes back to who sent it; what is not printable ASCII was theirs. */
static int fail(struct stacks_query *q, const char *format, ...)
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

static int set_pid(struct stacks_query *q, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	int pid = 0;

	if (digits && digits <= PID_DIGITS_MAX && !value[digits])
		sscanf(value, "%d", &pid);
	if (pid < 1 || pid > PID_MAX)
		return fail(q, "pid wants the number of a process, not '%.40s'", value);
	q->pid = pid;
	return 0;
}

static int set_format(struct stacks_query *q, const char *value)
{
	q->json = !strcmp(value, "json");
	if (!q->json && strcmp(value, "text"))
		return fail(q, "format wants text or json, not '%.40s'", value);
	return 0;
}

static int set_async(struct stacks_query *q, const char *value)
{
	q->async = !strcmp(value, "1");
	if (!q->async && strcmp(value, "0"))
		return fail(q, "async wants 1 or 0, not '%.40s'", value);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct stacks_query *q, const char *value);
} settings[] = {
	{ "pid", set_pid },
	{ "format", set_format },
	{ "async", set_async },
};

int stacks_query_add(struct stacks_query *q, const char *key, const char *value)
{
	if (*q->error)
		return -EINVAL;
	if (!value)
		return fail(q, "'%.40s' wants a value: %.40s=...", key, key);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (strcmp(settings[i].key, key))
			continue;
		if (q->seen & 1U << i)
			return fail(q, "%s is there twice", key);
		q->seen |= 1U << i;
		return settings[i].set(q, value);
	}
	return fail(q, "'%.40s' is unknown: there are pid, format, async", key);
}

static enum MHD_Result add_key(void *query, enum MHD_ValueKind kind, const char *key, const char *value)
{
	(void)kind;
	return stacks_query_add(query, key, value) ? MHD_NO : MHD_YES;
}

int stacks_query_read(struct stacks_query *q, struct MHD_Connection *connection)
{
	*q = (struct stacks_query){ 0 };
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_key, q);
	return *q->error ? -EINVAL : 0;
}
