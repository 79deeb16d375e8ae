// SPDX-License-Identifier: GPL-2.0-only
#include "run/rewrite.h"

#include <stdlib.h>

#include "base/log.h"
#include "export/output.h"
#include "export/whole.h"
#include "formats/formats.h"
#include "recorded/write_pprof.h"
#include "recorded/write_profile.h"
#include "report/report_selection.h"

#define ERROR_SIZE 512

/* pprof has room for what any program measures; the other formats for what this one does. */
static int encode(const struct options *o, struct recorded *r, const struct report_selection *c,
		  struct buf *out, char *error)
{
	const struct write_profile_wish wish = { c->takes, o->event ? &c->type : NULL };
	_cleanup_profile_ struct profile *p = NULL;
	int err;

	if (o->format == FORMAT_PPROF && !o->event)
		return write_pprof(r, 1, c->takes, out);
	err = write_profile(r, &wish, &p, error, ERROR_SIZE);
	return err ?: format_rows[o->format].encode(p, out);
}

static int write_file(const struct options *o, const struct buf *file)
{
	const struct whole_options whole = { .output = o->output, .format = o->format };
	int err = output_write(o->output, file, NULL);

	if (!err)
		whole_say_how_to_open(&whole);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

int rewrite(const struct options *o, struct recorded *r, const bool *only)
{
	const struct report_query q = { .event = o->event, .focus = o->focus, .ignore = o->ignore,
					.of = o->of, .only = only };
	char error[ERROR_SIZE] = "there is no memory for the profile";
	_cleanup_buf_ struct buf file = {};
	struct report_selection chosen;
	int err = output_check(o->output), code = EXIT_FAILURE;

	if (err)
		return EXIT_FAILURE;
	err = report_selection_make(r, &q, &chosen, error, sizeof(error)) ?:
	      encode(o, r, &chosen, &file, error);
	if (err) {
		log_error("%s", error);
	} else if (!chosen.kept) {
		log_info("nothing was sampled of that: no file is written");
		code = EXIT_NOTHING;
	} else {
		code = write_file(o, &file);
	}
	report_selection_free(&chosen);
	return code;
}
