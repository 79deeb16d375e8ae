// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - `pyperf-bpf report`: tables of profiles that are there.
 */
#include <stdlib.h>
#include <unistd.h>

#include "answers/answered.h"
#include "base/log.h"
#include "findings/findings.h"
#include "run/commands.h"
#include "run/profiles.h"

#define ERROR_SIZE 512

static int show(const struct options *o, const struct answered *a)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = o->json ? answered_json(a, &out) : answered_text(a, isatty(STDOUT_FILENO), &out);

	return profiles_show(err, &out);
}

static int find(const struct options *o, struct recorded *r, struct answered *a, struct findings *f)
{
	int err = o->findings ? findings_make(r, f) : 0;

	if (err || !o->findings)
		return log_failure(err, "what stands out");
	findings_set_files(f, o->command);
	a->findings = f;
	return 0;
}

static int answer(const struct options *o, struct recorded *r)
{
	const struct question q = {
		.by = o->by,
		.event = o->event,
		.focus = o->focus,
		.ignore = o->ignore,
		.callers = o->callers,
		.callees = o->callees,
		.lines = o->lines,
		.tree = o->tree,
		.no_tables = o->findings,
		.fold = o->fold,
		.top = o->top,
	};
	char error[ERROR_SIZE] = "out of memory";
	struct findings found;
	struct answered a;
	int err = answered_make(r, &q, &a, error, sizeof(error));
	bool is_empty = answered_is_empty(&a);

	if (err)
		log_error("%s", error);
	else
		err = find(o, r, &a, &found) ?: show(o, &a);
	answered_free(&a);
	return err ? EXIT_FAILURE : is_empty ? EXIT_NOTHING : EXIT_SUCCESS;
}

int run_report(struct options *o)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	int err = profiles_begin(o);

	for (char **file = o->command; *file && !err; file++)
		err = profiles_read(o, *file, &r);
	if (err)
		return EXIT_FAILURE;
	if (!r.files) {
		log_info("no profile is of that time");
		return EXIT_NOTHING;
	}
	return answer(o, &r);
}
