// SPDX-License-Identifier: GPL-2.0-only
#include "options/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options/file.h"
#include "options/line.h"
#include "options/row.h"

struct config_reading {
	struct options *o;
	int *line_of;
};

static bool is_for_a_file(const struct option_row *r)
{
	return r && strcmp(r->long_name, "config") && strcmp(r->long_name, "help") &&
	       strcmp(r->long_name, "version");
}

static int set_flag(struct options *o, const struct option_row *r, const char *value, char *error,
		    size_t size)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return options_fail(error, size, "%s wants yes or no, not '%s'", r->long_name, value);
	if (row_set(o, r, NULL, error, size))
		return -EINVAL;
	*(bool *)row_field(o, r) = !strcmp(value, "yes");
	return 0;
}

static int set_key(void *context, const char *key, const char *value, int line, char *error, size_t size)
{
	struct config_reading *reading = context;
	struct options *o = reading->o;
	const struct option_row *r = row_find(key, strlen(key), o->subcommand->takes);
	size_t i = r ? (size_t)(r - option_rows) : 0;

	if (!is_for_a_file(r))
		return options_fail(
			error, size,
			"unknown key '%s'; --help all lists the options, whose long names are the keys", key);
	if (reading->line_of[i])
		return options_fail(error, size, "%s is in line %d already", key, reading->line_of[i]);
	reading->line_of[i] = line;
	if (r->kind == OPTION_FLAG)
		return set_flag(o, r, value, error, size);
	if (r->kind != OPTION_TEXT)
		return row_set(o, r, value, error, size);
	o->owned[i] = strdup(value);
	return o->owned[i] ? row_set(o, r, o->owned[i], error, size) :
			     options_fail(error, size, "out of memory");
}

int config_read(struct options *o, int *line_of, char *error, size_t size)
{
	bool has_target = o->all_python || o->all || o->pids || o->command;
	struct config_reading reading = { o, line_of };
	const char *path = o->config;

	line_begin(o, o->argc, o->argv);
	if (options_file_read(path, set_key, &reading, error, size))
		return -EINVAL;
	if (has_target) {
		o->all_python = o->all = false;
		o->pids = NULL;
	}
	return line_read(o, line_of, error, size);
}

int config_add_line(const struct options *o, const int *line_of, char *error, size_t size)
{
	const struct option_row *r = strncmp(error, "--", 2) ?
		NULL : row_find(error + 2, strcspn(error + 2, " ,"), o->subcommand->takes);
	char text[256];

	if (!r || !line_of[r - option_rows])
		return -EINVAL;
	snprintf(text, sizeof(text), "%s", error);
	return options_fail(error, size, "%s:%d: %s", o->config, line_of[r - option_rows], text);
}
