// SPDX-License-Identifier: GPL-2.0-only
#include "options/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/config.h"
#include "options/derive.h"
#include "options/line.h"

int options_parse(struct options *o, int argc, char **argv, char *error, size_t error_size)
{
	int line_of[OPTION_ROWS] = {};

	line_begin(o, argc, argv);
	if (line_read(o, line_of, error, error_size))
		return -EINVAL;
	if (o->config && !o->help && !o->version && config_read(o, line_of, error, error_size))
		return -EINVAL;
	return options_derive(o, error, error_size) ? config_add_line(o, line_of, error, error_size) : 0;
}

void options_free(struct options *o)
{
	free(o->pid_list);
	o->pid_list = NULL;
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		free(o->owned[i]);
		o->owned[i] = NULL;
	}
}

int options_fail(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	for (; *error; error++)
		if ((unsigned char)*error < ' ' || *error == 0x7f)
			*error = '?';
	return -EINVAL;
}

enum log_level options_log_level(const struct options *o)
{
	return o->verbose ? LOG_DEBUG : o->quiet || o->subcommand->draws ? LOG_ERROR : LOG_INFO;
}
