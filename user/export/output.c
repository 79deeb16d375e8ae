// SPDX-License-Identifier: GPL-2.0-only
#include "export/output.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "export/file.h"

bool output_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int log_unwritable(const char *path, int err)
{
	if (err)
		log_error("cannot write '%s': %s", path, strerror(-err));
	return err;
}

int output_check(const char *path)
{
	return log_unwritable(path, !path || output_is_stdout(path) ? 0 : file_check_writable(path));
}

int output_write(const char *path, const struct buf *b)
{
	return log_unwritable(path, output_is_stdout(path) ? fd_write_all(STDOUT_FILENO, b->data, b->size)
							    : file_write_atomic(path, b->data, b->size));
}
