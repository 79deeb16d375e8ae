// SPDX-License-Identifier: GPL-2.0-only
#include "kern/libbpf_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/log.h"

static int on_print(enum libbpf_print_level level, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest;
	int lines = 0;

	(void)level;
	if (log_get_level() < LOG_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	for (line = text; (line = strchr(line, '\n')); line++)
		lines++;
	for (rest = text; (line = strsep(&rest, "\n")); lines--) {
		if (*line && lines <= LIBBPF_LOG_LINES)
			log_debug("%s", line);
	}
	return 0;
}

void libbpf_log(void)
{
	libbpf_set_print(on_print);
}
