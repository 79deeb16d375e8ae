// SPDX-License-Identifier: GPL-2.0-only
#include "export/whole.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "findings/findings.h"
#include "profile/events.h"
#include "profile/filter.h"
#include "recorded/read_profile.h"
#include "recorded/recorded.h"
#include "views/summary.h"

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

static int write_whole_file(const struct whole_options *o, const struct profile *p)
{
	_cleanup_buf_ struct buf file = {};
	int err = format_rows[o->format].encode(p, &file);

	if (err) {
		log_error("the profile cannot be encoded: %s", strerror(-err));
		return err;
	}
	return output_write(o->output, &file, o->patience);
}

/*
 * What stands out, if anything does: the sentences are those of `pyperf-bpf report --findings` of the
 * profile's file. path: of that, for the commands; NULL = there is none. What cannot be had, as without
 * memory, is left out.
 */
static void print_findings(const struct profile *p, const char *path, FILE *f, bool colour)
{
	char *const files[] = { (char *)path, NULL };
	_cleanup_recorded_ struct recorded r = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct findings found;

	if (read_profile(&r, p) || findings_make(&r, &found) || !found.count)
		return;
	findings_set_files(&found, files);
	if (!findings_text(&found, colour, SUMMARY_WIDTH, &text))
		fprintf(f, "%.*s\n", (int)text.size, text.data);
}

/* What stands out, and the tables. */
static void print_summary(const struct whole_options *o, const struct profile *p, FILE *f)
{
	const bool can_be_read = o->format == FORMAT_PPROF && !output_is_stdout(o->output);

	print_findings(p, can_be_read ? o->output : NULL, f, isatty(fileno(f)));
	print_kinds(p, f, o->top);
}

/* The kinds that somebody has asked for: others come with them. */
static __u32 asked_kinds(const struct profile *p)
{
	__u32 asked = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (event_rows[kind].asked)
			asked |= profile_get_info(p)->events & EVENT_BIT(kind);
	return asked;
}

/* What was looked for and not seen: of one kind in its words, of several by their names. */
static void add_nothing(const struct profile *p, bool all_looked_at, struct buf *out)
{
	const __u32 asked = asked_kinds(p);
	const bool is_one = asked && !(asked & (asked - 1));
	const char *empty = is_one ? event_rows[__builtin_ctz(asked)].empty : NULL;
	const char *between = "";

	if (empty) {
		(void)(buf_add_string(out, empty) ?:
		       all_looked_at ? 0 : buf_add_string(out, ", of the processes that could be looked at"));
		return;
	}
	if (is_one || !asked) {
		(void)buf_add_string(out, all_looked_at ? "no Python process used the CPU" :
							  "no Python process was seen to use the CPU");
		return;
	}
	(void)buf_add_string(out, "of no Python process there was anything of --event ");
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		if (!(asked & EVENT_BIT(kind)))
			continue;
		(void)buf_printf(out, "%s%s", between, event_rows[kind].key);
		between = ",";
	}
}

/* Only what is known: one that could not be looked at may be a Python. */
static void say_empty(const struct whole_options *o, const struct profile *p)
{
	const __u64 unanalysed = profile_get_info(p)->unanalysed;
	_cleanup_buf_ struct buf nothing = {};

	add_nothing(p, !profile_get_info(p)->unlooked && !unanalysed, &nothing);
	log_warning("%.*s%s%s: the profile is empty", (int)nothing.size, nothing.data ?: "",
		    *o->filters ? ", of those that are chosen by " : "", o->filters);
	if (unanalysed)
		log_warning("%llu tick%s of programs that had only begun and were not analysed yet %s not in "
			    "the profile", unanalysed, unanalysed > 1 ? "s" : "",
			    unanalysed > 1 ? "are" : "is");
}

static void say_unlooked(const struct profile *p)
{
	const char *whose = profile_get_info(p)->whose_unlooked;
	const __u32 count = profile_get_info(p)->unlooked;

	if (count)
		log_warning("%u process%s could not be looked at%s%s%s: what %s did is not in the profile",
			    count, count > 1 ? "es" : "", *whose ? " (" : "", whose, *whose ? ")" : "",
			    count > 1 ? "they" : "it");
}

int whole_write(const struct whole_options *o, struct window *window, struct harvest_stats *ret_stats,
		FILE *f)
{
	_cleanup_profile_ struct profile *profile = NULL;
	int err = window_take(window, &profile, ret_stats);

	if (err) {
		log_error("the profile cannot be put together: %s", strerror(-err));
		return err;
	}
	if (!o->output)
		return 0;
	err = o->is_written ? 0 : write_whole_file(o, profile);
	if (err)
		return err;
	if (harvest_is_empty(ret_stats))
		say_empty(o, profile);
	else if (!o->quiet && o->top)
		print_summary(o, profile, f);
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
