// SPDX-License-Identifier: GPL-2.0-only
#include "net/headers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/small_file.h"

int headers_add(struct curl_slist **list, const char *format, ...)
{
	_cleanup_free_ char *line = NULL;
	struct curl_slist *longer;
	va_list values;
	int size;

	va_start(values, format);
	size = vasprintf(&line, format, values);
	va_end(values);
	if (size < 0) {
		line = NULL;
		return -ENOMEM;
	}
	longer = curl_slist_append(*list, line);
	if (!longer)
		return -ENOMEM;
	*list = longer;
	return 0;
}

/* RFC 9110: a name is a token; a value has no control characters but tabs. */
static bool is_header(const char *line)
{
	size_t name =
		strspn(line, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

	if (!name || line[name] != ':')
		return false;
	for (; *line; line++)
		if (((unsigned char)*line < ' ' && *line != '\t') || *line == 0x7f)
			return false;
	return true;
}

static int parse(char *text, struct curl_slist **list)
{
	char *line, *rest = text;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		size_t length = strlen(line);

		if (length && line[length - 1] == '\r')
			line[length - 1] = '\0';
		if (!*line || *line == '#')
			continue;
		err = is_header(line) ? headers_add(list, "%s", line) : -EINVAL;
	}
	return err;
}

int headers_read(const char *path, size_t bytes_max, struct curl_slist **list)
{
	_cleanup_free_ char *text = NULL;
	int err = small_file_read(path, bytes_max, &text);

	return err ?: parse(text, list);
}

bool headers_grpc_status(const char *line, size_t size, int *ret_status)
{
	static const char name[] = "grpc-status:";
	const char *at = line + sizeof(name) - 1, *end = line + size;
	int status = 0, digits = 0;

	if (size < sizeof(name) - 1 || strncasecmp(line, name, sizeof(name) - 1))
		return false;
	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && digits < 2; at++, digits++)
		status = 10 * status + *at - '0';
	while (at < end && *at == ' ')
		at++;
	*ret_status = digits && (at == end || *at == '\r' || *at == '\n') ? status : GRPC_NO_STATUS;
	return true;
}
