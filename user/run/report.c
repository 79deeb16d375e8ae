// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - `pyperf-bpf report`: tables of profiles that are there, or these in another format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "findings/findings.h"
#include "report/answered.h"
#include "run/commands.h"
#include "run/printed.h"
#include "run/profiles.h"
#include "run/rewrite.h"
#include "run/served.h"
#include "run/so_far.h"

#define ERROR_SIZE 512

static int show_answer(const struct options *o, const struct answered *a)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = o->json ? answered_json(a, &out) : answered_text(a, isatty(STDOUT_FILENO), &out);

	return printed(err, &out);
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

static int say_no_trace(const struct traced *t)
{
	if (t->traces)
		log_warning("nothing was sampled for trace %s: %zu others are there", t->trace, t->traces);
	else
		log_warning("nothing was sampled for trace %s: ids are in the log of a profiler with --log "
			    "and --trace otel, behind its URL or in its --log-file",
			    t->trace);
	return EXIT_NOTHING;
}

/* What --of means in this profile. 0; or the exit code, with a line that says why. */
static int select_stacks(const struct options *o, struct recorded *r, bool **ret)
{
	char codes[512];
	int err = o->of ? findings_select(r, o->of, ret) : 0;

	if (err == -ESRCH) {
		log_warning("%s does not stand out in it", o->of);
		return EXIT_NOTHING;
	}
	if (err == -ENOENT) {
		findings_codes(codes, sizeof(codes));
		log_error("--of wants one of %s, not '%s'", codes, o->of);
		return EXIT_USAGE;
	}
	return log_failure(err, "what stands out") ? EXIT_FAILURE : 0;
}

static int answer(const struct options *o, struct recorded *r, const bool *only)
{
	const struct served_lines lines = { o, *o->command };
	const struct line_asker asker = { served_ask_lines, (void *)&lines };
	const bool is_served = o->command[0] && !o->command[1] && served_is_source(*o->command);
	const struct report_query q = {
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
		.of = o->of,
		.only = only,
		.trace = o->trace_id ? o->trace_digits : NULL,
		.asker = is_served ? &asker : NULL,
	};
	char error[ERROR_SIZE] = "out of memory";
	struct findings found;
	struct answered a;
	int code, err = answered_make(r, &q, &a, error, sizeof(error));

	code = answered_is_empty(&a) ? EXIT_NOTHING : EXIT_SUCCESS;
	if (err)
		log_error("%s", error);
	else if (q.trace && !a.traced.spans)
		code = say_no_trace(&a.traced);
	else
		err = find(o, r, &a, &found) ?: show_answer(o, &a);
	answered_free(&a);
	return err ? EXIT_FAILURE : code;
}

int run_report(struct options *o)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	_cleanup_free_ bool *only = NULL;
	const bool by_node = o->by && !strcmp(o->by, "label:node");
	int err = log_failure(so_far_reading(&r), "SIGTERM") ?: profiles_begin(o), code;

	for (char **file = o->command; *file && !err; file++)
		err = profiles_read(o, *file, NULL, by_node, &r);
	if (err)
		return EXIT_FAILURE;
	if (!r.files) {
		log_info("no profile is of that time");
		return EXIT_NOTHING;
	}
	so_far_answering();
	code = select_stacks(o, &r, &only);
	return code ?: o->output ? rewrite(o, &r, only) : answer(o, &r, only);
}
