// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

static enum log_level current = LOG_INFO;

void log_set_level(enum log_level level)
{
	current = level;
}

enum log_level log_get_level(void)
{
	return current;
}

/* In place: nothing becomes longer. */
static void make_visible(char *s)
{
	char *to = s;
	size_t length;

	for (; *s; s += length) {
		if (buf_is_shown(s, &length)) {
			memmove(to, s, length);
			to += length;
		} else {
			*to++ = '?';
		}
	}
	*to = '\0';
}

void log_vwrite(enum log_level level, const char *format, va_list args)
{
	static const char *const prefix[] = { "error: ", "warning: ", "", "debug: " };
	char text[1024];

	if (level > current)
		return;
	vsnprintf(text, sizeof(text), format, args);
	make_visible(text);
	/* A progress line may stand on the terminal: overwrite it. */
	fprintf(stderr, "%spyperf-bpf: %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", prefix[level], text);
}

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_vwrite(level, format, args);
	va_end(args);
}

int log_failure(int err, const char *what)
{
	if (err)
		log_error("%s: %s", what, strerror(-err));
	return err;
}

int log_lack(int err, const char *what)
{
	if (err)
		log_error("%s: %s" ASK_DOCTOR, what, strerror(-err));
	return err;
}
