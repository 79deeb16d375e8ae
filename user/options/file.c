// SPDX-License-Identifier: GPL-2.0-only
#include "options/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "options/options.h"

#define LINE_MAX_BYTES 65536

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = '\0';
	return s;
}

static void cut_comment(char *line)
{
	for (char *c = line; (c = strchr(c, '#')); c++)
		if (c == line || c[-1] == ' ' || c[-1] == '\t') {
			*c = '\0';
			return;
		}
}

static int read_line(char *line, size_t length, int number,
		     int (*fn)(void *context, const char *key, const char *value, int line, char *error,
			       size_t size),
		     void *context, char *error, size_t size)
{
	char *equals;

	if (strlen(line) != length || length > LINE_MAX_BYTES)
		return options_fail(error, size, "this is not a line of text");
	cut_comment(line);
	line = trim(line);
	if (!*line)
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return options_fail(error, size, "'%s' is not 'key = value'", line);
	*equals = '\0';
	return fn(context, trim(line), trim(equals + 1), number, error, size);
}

int options_file_read(const char *path,
		      int (*fn)(void *context, const char *key, const char *value, int line, char *error,
				size_t size),
		      void *context, char *error, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	char reason[256];
	size_t capacity = 0;
	struct stat st;
	ssize_t length;

	if (!f)
		return options_fail(error, size, "%s: %s", path, strerror(errno));
	/* Neither a FIFO that nobody writes to nor a device without end. */
	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode))
		return options_fail(error, size, "%s: not a file", path);
	for (int number = 1; (length = getline(&line, &capacity, f)) >= 0; number++)
		if (read_line(line, length, number, fn, context, reason, sizeof(reason)))
			return options_fail(error, size, "%s:%d: %s", path, number, reason);
	return ferror(f) ? options_fail(error, size, "%s: cannot be read", path) : 0;
}
