// SPDX-License-Identifier: GPL-2.0-only
#include "run/printed.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "export/file.h"

static int say_unprinted(int err)
{
	if (err == -EBADF)
		log_error("stdout is closed");
	else
		log_failure(err, "stdout");
	return err;
}

int printed(int err, const struct buf *out)
{
	return say_unprinted(err ?: fd_write_all(STDOUT_FILENO, out->data, out->size));
}

int printed_flush(FILE *f)
{
	errno = 0;
	if ((!fflush(f) && !ferror(f)) || f != stdout || errno == EPIPE)
		return 0;
	return say_unprinted(errno ? -errno : -EIO);
}
