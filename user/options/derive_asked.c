// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_asked.c - what is asked of profiles that are there: the rows, and the stretch of time.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "options/derive.h"
#include "profile/trace_ids.h"
#include "recorded/when.h"
#include "report/expression.h"
#include "report/report_query.h"

#define FAIL_OVER_MAX 1e6 /* percent: what grew may be many times what there was */

/* "N,M" */
static int derive_per(struct options *o)
{
	unsigned long long base, now;
	int end = 0;

	if (o->normalize || *o->per < '0' || *o->per > '9' ||
	    sscanf(o->per, "%15llu,%15llu%n", &base, &now, &end) != 2 || !end || o->per[end] || !base || !now)
		return -EINVAL;
	o->base_per = (double)base;
	o->new_per = (double)now;
	return 0;
}

static int derive_when(const char *text, const char *option, long long *ret, char *error, size_t size)
{
	__s64 ns;

	if (!text)
		return 0;
	if (when_parse(text, (__s64)clock_ns_of(CLOCK_REALTIME), &ns))
		return options_fail(error, size,
				    "--%s wants a time such as 2026-11-25T15:00, 15:00 (UTC) or -10m, "
				    "not '%s'",
				    option, text);
	*ret = ns;
	return 0;
}

/* As profiles have them, in small letters. */
static int derive_trace_id(const char *text, char ret[TRACE_TEXT])
{
	struct trace_wanted wanted;
	char span[SPAN_TEXT];

	if (trace_wanted_parse(text, &wanted) || !wanted.one)
		return -EINVAL;
	trace_ids_text(&wanted.of, ret, span);
	return 0;
}

/* Here, before any file is read, since it is the command line that makes no sense. */
static int check_expression(const char *text, const char *option, char *error, size_t size)
{
	char reason[256] = "out of memory";
	struct expression *e;

	if (!text)
		return 0;
	if (expression_new(text, option, &e, reason, sizeof(reason)))
		return options_fail(error, size, "%s", reason);
	expression_free(e);
	return 0;
}

/* In another format there is a whole profile, or the stacks that are chosen of it: no table. */
static int derive_written(struct options *o, char *error, size_t size)
{
	if (!o->output)
		return o->format < 0 ? 0 : options_fail(error, size, "--format goes with --output FILE");
	if (!*o->output)
		return options_fail(error, size, "--output wants a file name");
	if (o->by || o->callers || o->callees || o->lines || o->tree || o->findings || o->fold || o->json ||
	    o->trace_id)
		return options_fail(error, size,
				    "--output writes a profile, not a table of it: only --event, --focus, "
				    "--ignore, --of, --from and --to go with it");
	return derive_format(o, error, size);
}

int derive_asked(struct options *o, char *error, size_t size)
{
	enum answer_by by;
	const char *label;

	if (o->by && report_query_by(o->by, &by, &label))
		return options_fail(error, size, "--by wants one of %s, not '%s'", by_names, o->by);
	if (!!o->callers + !!o->callees + !!o->lines + o->tree + !!o->by + o->findings > 1)
		return options_fail(error, size,
				    "only one of --by, --callers, --callees, --lines, --tree and --findings");
	if (o->findings && (o->focus || o->ignore || o->fold))
		return options_fail(error, size,
				    "--findings is of whole profiles: without --focus, --ignore and --fold");
	if (check_expression(o->focus, "focus", error, size) ||
	    check_expression(o->ignore, "ignore", error, size))
		return -EINVAL;
	if (o->of && (o->findings || o->trace_id))
		return options_fail(error, size, "--of is of whole profiles: without --findings and --trace");
	if (o->trace_id && derive_trace_id(o->trace_id, o->trace_digits))
		return options_fail(error, size, "--trace wants the 32 hexadecimal digits of an id, not '%s'",
				    o->trace_id);
	if (o->subcommand->takes & GROUP_WRITING && derive_written(o, error, size))
		return -EINVAL;
	if (o->trace_id && o->findings)
		return options_fail(error, size, "--findings is of whole profiles: without --trace");
	if (!o->base != !o->now || (o->base && o->command[1]))
		return options_fail(error, size, "--base and --new go together, with the URL of one store");
	if (o->subcommand->takes & GROUP_DIFF && !o->base && (!o->command[1] || o->command[2]))
		return options_fail(error, size, "name %s; --help shows how", o->subcommand->words);
	if (o->fail_over && (derive_percent(o->fail_over, FAIL_OVER_MAX, &o->fail_share) || !o->fail_share))
		return options_fail(error, size, "--fail-over wants percent, more than 0, not '%s'",
				    o->fail_over);
	o->fail_share /= 100;
	if (o->per && derive_per(o))
		return options_fail(error, size,
				    "--per wants two numbers of requests, as 12000,15000, and no "
				    "--normalize, not '%s'",
				    o->per);
	if (o->json && o->diff_format)
		return options_fail(error, size, "only one of --json and --format");
	if (derive_when(o->from, "from", &o->from_ns, error, size) ||
	    derive_when(o->to, "to", &o->to_ns, error, size))
		return -EINVAL;
	if (o->from_ns && o->to_ns && o->from_ns >= o->to_ns)
		return options_fail(error, size, "--from is not before --to");
	return 0;
}
