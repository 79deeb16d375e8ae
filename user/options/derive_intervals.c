// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_intervals.c - profiles of intervals: how long one is, which files stay, and where they are pushed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "export/push/request.h"
#include "formats/formats.h"
#include "options/derive.h"

#define INTERVAL_DEFAULT 60
#define KEEP_DEFAULT	 (500ULL << 20)

/* "24" is a number of files, "500MiB" is a size. */
static int parse_keep(struct options *o, char *error, size_t size)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(o->keep, &end, 10);
	for (size_t i = 0; !errno && end != o->keep && n && *o->keep != '-' && i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i]) || n > ULLONG_MAX >> (10 * i))
			continue;
		*(i ? &o->keep_bytes : &o->keep_files) = n << (10 * i);
		return 0;
	}
	return options_fail(error, size, "--keep wants a number of files, or a size such as 500MiB, not '%s'",
			    o->keep);
}

/* A profile for each interval, instead of one of the whole run. */
int derive_intervals(struct options *o, char *error, size_t size)
{
	struct push_target target;
	int err;

	o->continuous = o->output_dir || o->push;
	if (o->output_dir && !*o->output_dir)
		return options_fail(error, size, "--output-dir wants a folder's name");
	if (o->interval && !o->continuous && !o->listen)
		return options_fail(error, size,
				    "--interval says how often; where to? --output-dir DIR, --push URL or "
				    "--listen ADDR:PORT");
	if (o->keep && !o->output_dir)
		return options_fail(error, size, "--keep goes with --output-dir DIR");
	if (o->continuous && o->output)
		return options_fail(error, size,
				    "--output FILE is for one profile, not with --output-dir or --push");
	err = o->push ? push_target_parse(o->push, o->push_format, &target) : 0;
	if (err == -EPERM) /* without the URL: who reads the log may not be meant to know it */
		return options_fail(error, size,
				    "--push URL has a user or password, which everybody could read in the "
				    "list of processes; put a line 'Authorization: ...' into "
				    "--push-header-file FILE");
	if (err)
		return options_fail(error, size, "--push wants %s, not '%s'", push_format_urls, o->push);
	if (!o->push && (o->push_format >= 0 || o->push_header_file || o->push_ca_file))
		return options_fail(
			error, size,
			"--push-format, --push-header-file and --push-ca-file go with --push URL");
	if (o->continuous && o->format >= 0 && o->format != FORMAT_PPROF)
		return options_fail(error, size,
				    "--format %s is for --output FILE; profiles of intervals are pprof",
				    format_rows[o->format].name);
	o->interval_seconds = INTERVAL_DEFAULT;
	if (o->interval && (derive_seconds(o->interval, &o->interval_seconds) || o->interval_seconds < 0.1))
		return options_fail(
			error, size,
			"--interval wants seconds, or " DURATION_EXAMPLES ", at least 0.1, not '%s'",
			o->interval);
	o->keep_bytes = o->keep ? 0 : KEEP_DEFAULT;
	return o->keep ? parse_keep(o, error, size) : 0;
}
