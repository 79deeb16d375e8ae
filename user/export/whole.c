// SPDX-License-Identifier: GPL-2.0-only
#include "export/whole.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "export/stands_out.h"
#include "profile/events.h"
#include "profile/filter.h"
#include "profile/summary.h"

/* A summary of each kind of event that there is. */
static void print_kinds(const struct profile *p, FILE *f, int rows)
{
	bool is_first = true;

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct profile_filter only = { .events = EVENT_BIT(kind) };
		_cleanup_profile_ struct profile *part = NULL;

		if (!profile_total_of(p, kind) || profile_filter_apply(&only, p, &part))
			continue;
		if (!is_first)
			fputc('\n', f);
		summary_print(part, f, isatty(fileno(f)), rows);
		is_first = false;
	}
}

/* b: gets what is in the file. */
static int write_profile(const struct whole_options *o, const struct profile *p, struct buf *b)
{
	int err = format_rows[o->format].encode(p, b);

	if (err) {
		log_error("the profile cannot be encoded: %s", strerror(-err));
		return err;
	}
	return output_write(o->output, b, o->patience);
}

/* What stands out, and the tables. file: what was written. */
static void print_summary(const struct whole_options *o, const struct profile *p, const struct buf *file,
			  FILE *f)
{
	const bool is_pprof = o->format == FORMAT_PPROF;
	_cleanup_buf_ struct buf pprof = {};

	if (is_pprof)
		stands_out_print(file, output_is_stdout(o->output) ? NULL : o->output, f, isatty(fileno(f)));
	else if (!format_rows[FORMAT_PPROF].encode(p, &pprof))
		stands_out_print(&pprof, NULL, f, isatty(fileno(f)));
	print_kinds(p, f, o->top);
}

/* Whether nothing but ticks was measured for it. */
static bool is_of_ticks(const struct profile *p)
{
	return event_needs(event_parts(profile_get_info(p)->events)) == NEEDS_TICKS;
}

/* What its only kind has to say then; NULL: it has several, or nothing. */
static const char *empty_of(const struct profile *p)
{
	const __u32 events = profile_get_info(p)->events;

	return events && !(events & (events - 1)) ? event_rows[__builtin_ctz(events)].empty : NULL;
}

/* Only what is known: one that could not be looked at may be a Python. */
static void say_empty(const struct profile *p)
{
	const __u64 unanalysed = profile_get_info(p)->unanalysed;
	const bool unlooked = profile_get_info(p)->unlooked || unanalysed;

	if (empty_of(p))
		log_warning("%s%s: the profile is empty", empty_of(p),
			    unlooked ? ", of the processes that could be looked at" : "");
	else if (unlooked)
		log_warning("no Python process was seen to use the CPU%s: the profile is empty",
			    is_of_ticks(p) ? "" : ", or to wait");
	else
		log_warning("no Python process used the CPU%s: the profile is empty",
			    is_of_ticks(p) ? "" : ", or waited");
	if (unanalysed)
		log_warning("%llu tick%s of programs that had only begun and were not analysed yet %s not in "
			    "the profile", unanalysed, unanalysed > 1 ? "s" : "",
			    unanalysed > 1 ? "are" : "is");
}

static void say_unlooked(const struct profile *p)
{
	const __u32 count = profile_get_info(p)->unlooked;

	if (count)
		log_warning("%u process%s could not be looked at: what %s did is not in the profile", count,
			    count > 1 ? "es" : "", count > 1 ? "they" : "it");
}

int whole_write(const struct whole_options *o, struct window *window, struct harvest_stats *ret_stats,
		FILE *f)
{
	_cleanup_profile_ struct profile *profile = NULL;
	_cleanup_buf_ struct buf file = {};
	int err = window_take(window, &profile, ret_stats);

	if (err) {
		log_error("the profile cannot be put together: %s", strerror(-err));
		return err;
	}
	if (!o->output)
		return 0;
	err = write_profile(o, profile, &file);
	if (err)
		return err;
	if (harvest_is_empty(ret_stats))
		say_empty(profile);
	else if (!o->quiet && o->top)
		print_summary(o, profile, &file, f);
	say_unlooked(profile);
	return 0;
}

void whole_say_how_to_open(const struct whole_options *o)
{
	_cleanup_buf_ struct buf open = {};

	if (!o->output || output_is_stdout(o->output) || format_add_how_to_open(o->format, o->output, &open))
		return;
	log_info("wrote %s. %.*s", o->output, (int)open.size, open.data);
}
