// SPDX-License-Identifier: GPL-2.0-only
#include "kern/libbpf_log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/log.h"

static char refusal[256];

/* Lines at the end of a verifier's log that say what it has cost. */
static bool is_a_figure(const char *line)
{
	static const char *const begins[] = { "processed ", "verification time ", "stack depth " };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(line, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* "libbpf: prog 'NAME': -- BEGIN PROG LOAD LOG --", the verifier's lines, and an end of the same kind. */
static void keep_refusal(const char *text)
{
	const char *name = strstr(text, "prog '"), *line = strstr(text, "-- BEGIN PROG LOAD LOG --\n");
	const char *last = NULL, *end;

	if (!name || !line || name > line)
		return;
	name += strlen("prog '");
	for (line = strchr(line, '\n') + 1; (end = strchr(line, '\n')); line = end + 1) {
		if (!strncmp(line, "-- END", strlen("-- END")))
			break;
		if (end > line && !is_a_figure(line))
			last = line;
	}
	if (last)
		snprintf(refusal, sizeof(refusal), "%.*s: %.*s", (int)strcspn(name, "'"), name,
			 (int)strcspn(last, "\n"), last);
}

static int on_print(enum libbpf_print_level level, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest;
	int lines = 0;

	if (level != LIBBPF_WARN && log_get_level() < LOG_DEBUG)
		return 0;
	if (vasprintf(&text, format, args) < 0)
		return 0;
	if (level == LIBBPF_WARN)
		keep_refusal(text);
	if (log_get_level() < LOG_DEBUG)
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
	refusal[0] = '\0';
	libbpf_set_print(on_print);
}

const char *libbpf_refusal(void)
{
	return refusal;
}
