// SPDX-License-Identifier: GPL-2.0-only
/*
 * diff.c - `pyperf-bpf diff`: two profiles that are there, beside each other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "export/output.h"
#include "recorded/files.h"
#include "recorded/write_pprof.h"
#include "report/compared.h"
#include "report/compared_svg.h"
#include "run/commands.h"
#include "run/printed.h"
#include "run/profiles.h"
#include "run/so_far.h"

#define ERROR_SIZE 512

static int show_difference(const struct options *o, const struct compared *c)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = o->json	? compared_json(c, &out) :
		  o->diff_format ? compared_markdown(c, &out) :
				   compared_text(c, isatty(STDOUT_FILENO), &out);

	return printed(err, &out);
}

/* Stacks that --focus and --ignore leave, of either profile; to be freed. */
static bool *either(const struct compared *c)
{
	const size_t n = recorded_stacks(c->recorded);
	bool *takes = calloc(n + 1, sizeof(*takes));

	for (__u32 id = 1; takes && id <= n; id++)
		takes[id - 1] = selection_takes(&c->base.chosen, id) || selection_takes(&c->now.chosen, id);
	return takes;
}

/* What is asked for besides. */
static int write_files(const struct options *o, const struct compared *c)
{
	_cleanup_buf_ struct buf svg = { 0 }, pprof = { 0 };
	_cleanup_free_ bool *takes = either(c);
	int err = takes ? 0 : -ENOMEM;

	if (o->svg)
		err = err ?: compared_svg(c, &svg);
	if (o->pprof)
		err = err ?: write_pprof(c->recorded, c->scale, takes, &pprof);
	if (err)
		return log_failure(err, "the differences");
	err = o->svg ? output_write(o->svg, &svg, NULL) : 0;
	return err ?: o->pprof ? output_write(o->pprof, &pprof, NULL) : 0;
}

static int judge(const struct options *o, const struct compared *c)
{
	const struct compared_row *row;

	if (!c->base.chosen.total || !c->now.chosen.total) {
		log_info("one of the two has nothing of this event");
		return EXIT_NOTHING;
	}
	if (!o->fail_share || !compared_grew(c, o->fail_share, &row))
		return EXIT_SUCCESS;
	log_warning("%s grew by more than %g %% of the first profile, and by more than chance",
		    row ? recorded_get_string(c->recorded, row->key.name) : "all of it",
		    o->fail_share * 100);
	return EXIT_GREW;
}

static int compare(const struct options *o, struct recorded *r, __s64 base_ns)
{
	const struct report_query q = {
		.by = o->by,
		.event = o->event,
		.focus = o->focus,
		.ignore = o->ignore,
		.fold = o->fold,
		.top = o->top,
		.flat = true,
	};
	/* Two parts of a fleet are of different sizes. */
	const struct compared_scaling scaling = {
		.by = o->per ? SCALE_PER : o->normalize || !o->base ? o->normalize : SCALE_SAMPLES,
		.base_per = o->base_per,
		.new_per = o->new_per,
	};
	char error[ERROR_SIZE] = "out of memory";
	struct compared c;
	int code, err = compared_make(r, &q, &scaling, base_ns, r->duration_ns - base_ns, &c, error,
				      sizeof(error));

	if (err)
		log_error("%s", error);
	else
		err = write_files(o, &c) ?: show_difference(o, &c);
	code = err ? EXIT_FAILURE : judge(o, &c);
	compared_free(&c);
	return code;
}

/* Where report has notes. */
static void say_left_out(const struct recorded *r)
{
	if (r->unreadable)
		log_warning(FILES_UNREADABLE, r->unreadable);
	if (r->twice)
		log_info(FILES_TWICE, r->twice);
	if (r->unread_formats)
		log_info(FILES_UNREAD, r->unread_formats);
}

int run_diff(struct options *o)
{
	_cleanup_recorded_ struct recorded r = { .is_base = true };
	__s64 base_ns;

	if (log_failure(so_far_reading(&r), "SIGTERM") || profiles_begin(o) ||
	    profiles_read(o, o->command[0], o->base, true, &r))
		return EXIT_FAILURE;
	base_ns = r.duration_ns;
	r.is_base = false;
	if (profiles_read(o, o->command[!o->base], o->now, true, &r))
		return EXIT_FAILURE;
	if (!r.files) {
		log_info("no profile is of that time");
		return EXIT_NOTHING;
	}
	so_far_answering();
	say_left_out(&r);
	return compare(o, &r, base_ns);
}
