// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - `pyperf-bpf report`: tables of profiles that are there. Whoever wrote them may mean harm, and it
 * may be root who looks at them: so all rights but that to read files are given up first.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "answers/answered.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "guard/privileges.h"
#include "profile/short_path.h"
#include "recorded/files.h"
#include "recorded/recorded.h"
#include "run/commands.h"
#include "run/give_up.h"

#define ERROR_SIZE 512

static int give_up(void)
{
	return log_failure(privileges_keep(PRIVILEGE(CAP_DAC_READ_SEARCH)),
			   "capabilities cannot be given up") ?: give_up_calls();
}

static int read_files(const struct options *o, struct recorded *r)
{
	char error[ERROR_SIZE] = "";
	int err = 0;

	r->from_ns = o->from_ns;
	r->to_ns = o->to_ns;
	for (char **file = o->command; *file && !err; file++)
		err = files_read(r, *file, error, sizeof(error));
	if (err)
		log_error("%s", error);
	return err;
}

static void shorten_paths(const struct options *o)
{
	char folder[PATH_MAX];

	if (o->paths == PATHS_SHORT)
		short_path_begin(getcwd(folder, sizeof(folder)));
}

static int show(const struct options *o, const struct answered *a)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = o->json ? answered_json(a, &out) : answered_text(a, isatty(STDOUT_FILENO), &out);

	if (!err && (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout)))
		err = -EIO;
	return log_failure(err, "stdout");
}

static int answer(const struct options *o, struct recorded *r)
{
	const struct question q = {
		.by = o->by,
		.event = o->event,
		.focus = o->focus,
		.ignore = o->ignore,
		.fold = o->fold,
		.top = o->top,
	};
	char error[ERROR_SIZE] = "out of memory";
	struct answered a;
	int err = answered_make(r, &q, &a, error, sizeof(error));
	bool is_empty = answered_is_empty(&a);

	if (err)
		log_error("%s", error);
	else
		err = show(o, &a);
	answered_free(&a);
	return err ? EXIT_FAILURE : is_empty ? EXIT_NOTHING : EXIT_SUCCESS;
}

int run_report(struct options *o)
{
	_cleanup_recorded_ struct recorded r = { 0 };

	if (give_up() || read_files(o, &r))
		return EXIT_FAILURE;
	if (!r.files) {
		log_info("no profile is of that time");
		return EXIT_NOTHING;
	}
	shorten_paths(o);
	return answer(o, &r);
}
