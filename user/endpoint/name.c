// SPDX-License-Identifier: GPL-2.0-only
#include "endpoint/name.h"

#include <string.h>

#include "profile/short_path.h"

static size_t without(const char *path, size_t size, const char *end)
{
	const size_t length = strlen(end);

	return size > length && !strncmp(path + size - length, end, length) ? size - length : size;
}

int name_add(const char *file, const char *name, struct buf *out)
{
	const char *path = short_path_of(file, NULL);
	size_t size = without(path, strlen(path), ".py");
	const size_t start = out->size;
	int err;

	size = without(path, size, "/__init__");
	err = buf_add(out, path, size);
	for (size_t i = start; !err && i < out->size; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
	err = err ?: buf_add(out, ":", 1) ?: buf_add_string(out, name);
	if (err)
		out->size = start;
	return err;
}
