// SPDX-License-Identifier: GPL-2.0-only
#include "out/push_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

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
	size_t name = strspn(line, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

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
	/* O_NONBLOCK: a FIFO would stop the profiler. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	text = malloc(bytes_max + 1);
	if (!text)
		return -ENOMEM;
	while ((n = read(fd, text + size, bytes_max + 1 - size)) > 0) {
		size += n;
		if (size > bytes_max)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	text[size] = '\0';
	return strlen(text) == size ? parse(text, list) : -EINVAL;
}
