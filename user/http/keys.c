// SPDX-License-Identifier: GPL-2.0-only
#include "http/keys.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int keys_fail(struct keys *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->error, sizeof(k->error), format, args);
	va_end(args);
	for (char *s = k->error; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
	return -EINVAL;
}

int keys_add(struct keys *k, const struct key_table *table, const char *name, const char *value)
{
	if (*k->error)
		return -EINVAL;
	if (!value)
		return keys_fail(k, "'%.40s' wants a value: %.40s=...", name, name);
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->rows[i].name, name))
			continue;
		if (k->seen & 1U << i)
			return keys_fail(k, "%s is there twice", name);
		k->seen |= 1U << i;
		return table->rows[i].set(k, value);
	}
	return table->other(k, name, value);
}

struct keys_reading {
	struct keys *keys;
	const struct key_table *table;
};

static enum MHD_Result add_key(void *reading, enum MHD_ValueKind kind, const char *name, const char *value)
{
	const struct keys_reading *r = reading;

	(void)kind;
	return keys_add(r->keys, r->table, name, value) ? MHD_NO : MHD_YES;
}

int keys_read(struct keys *k, const struct key_table *table, struct MHD_Connection *connection)
{
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_key,
				  &(struct keys_reading){ k, table });
	return *k->error ? -EINVAL : 0;
}
