// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/headers.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/small_file.h"

static int add_header(struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(*list, line);

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
		err = is_header(line) ? add_header(list, line) : -EINVAL;
	}
	return err;
}

int push_headers_read(const char *path, size_t bytes_max, struct curl_slist **list)
{
	_cleanup_free_ char *text = NULL;
	int err = small_file_read(path, bytes_max, &text);

	return err ?: parse(text, list);
}
