// SPDX-License-Identifier: GPL-2.0-only
#include "export/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/standard_fds.h"
#include "export/writer_child.h"
#include "export/file.h"

#define PAUSE_US 1000 /* between two looks whether it is written */
/*
 * So long the child has in any case. On a busy machine the time that there is may be over before it begins,
 * and what it has to write be lost, though nothing hangs.
 */
#define LEAST_SECONDS 4.0

bool output_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int log_unwritable(const char *path, int err)
{
	if (err == -ETIMEDOUT)
		log_error("writing '%s' takes too long: it is given up", path);
	else if (err && output_is_stdout(path))
		log_error("cannot write to stdout: %s", err == -EBADF ? "it is closed" : strerror(-err));
	else if (err)
		log_error("cannot write '%s': %s", path, file_why(path, err));
	return err;
}

int output_check(const char *path)
{
	int err = 0;

	if (output_is_stdout(path))
		err = standard_fds_can_write(STDOUT_FILENO) ? 0 : -EBADF;
	else if (path)
		err = file_check_writable(path);
	return log_unwritable(path, err);
}

struct output_writing {
	const char *path;
	const struct buf *b;
};

static int write_output(void *context, void *result)
{
	const struct output_writing *w = context;

	(void)result;
	return output_is_stdout(w->path) ? fd_write_all(STDOUT_FILENO, w->b->data, w->b->size) :
					   file_write_atomic(w->path, w->b->data, w->b->size);
}

static bool is_over(const struct output_patience *p, double begun)
{
	double now = clock_seconds(), until = p ? p->until(p->context) : 0;

	return until > 0 && now >= until && now >= begun + LEAST_SECONDS;
}

static int write_aside(struct output_writing *w, const struct output_patience *patience)
{
	const double begun = clock_seconds();
	struct writer_child child = {};
	char nothing;
	int err;

	if (writer_child_start(&child, write_output, w)) /* better without a child than not at all */
		return write_output(w, NULL);
	while ((err = writer_child_end(&child, &nothing, 0)) == -EINPROGRESS) {
		if (is_over(patience, begun)) {
			writer_child_abandon(&child);
			return -ETIMEDOUT;
		}
		usleep(PAUSE_US);
	}
	return err;
}

int output_write(const char *path, const struct buf *b, const struct output_patience *patience)
{
	struct output_writing w = { path, b };

	return log_unwritable(path, write_aside(&w, patience));
}
