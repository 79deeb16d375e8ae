// SPDX-License-Identifier: GPL-2.0-only
#include "profile/start_times.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/profile.h"

#define HEAD "processes began, in ms since 1970:"
#define ONE_SIZE 32 /* more than ", others" or a pid takes, with such a time */

struct start {
	__u32 pid;
	long long unix_ms;
};

/* Of one process the earliest first: another may have had its number before. */
static int compare_starts(const void *left, const void *right)
{
	const struct start *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->unix_ms > b->unix_ms) - (a->unix_ms < b->unix_ms);
}

/* Sorted, each process once. Returns how many. */
static size_t find_starts(const struct profile *p, struct start *starts)
{
	const __s64 boot = profile_get_info(p)->boot_unix_ns;
	size_t n = 0, kept = 0;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_OWNER); id++) {
		const struct profile_owner *o = profile_get_owner(p, id);

		if (o->pid && o->began_boot_ns)
			starts[n++] = (struct start){
				o->pid, (boot + (__s64)o->began_boot_ns) / (__s64)NS_PER_MS
			};
	}
	qsort(starts, n, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < n; i++)
		if (!kept || starts[kept - 1].pid != starts[i].pid)
			starts[kept++] = starts[i];
	return kept;
}

static long long earliest(const struct start *starts, size_t n)
{
	long long ret = starts[0].unix_ms;

	for (size_t i = 1; i < n; i++)
		if (starts[i].unix_ms < ret)
			ret = starts[i].unix_ms;
	return ret;
}

/* As many as have room in a line, and in the last one what is to be said of the others. Returns how many. */
static size_t write_line(const struct start *starts, size_t n, bool is_last, char *line)
{
	int used = snprintf(line, START_TIMES_LINE_SIZE, HEAD);
	size_t i = 0;

	for (; i < n && used < START_TIMES_LINE_SIZE - 2 * ONE_SIZE; i++)
		used += snprintf(line + used, START_TIMES_LINE_SIZE - used, "%s %u %lld", i ? "," : "",
				 starts[i].pid, starts[i].unix_ms);
	if (is_last && i < n)
		snprintf(line + used, START_TIMES_LINE_SIZE - used, ", others %lld",
			 earliest(starts + i, n - i));
	return i;
}

size_t start_times_write(const struct profile *p, char ret[START_TIMES_LINES][START_TIMES_LINE_SIZE])
{
	_cleanup_free_ struct start *starts = NULL;
	size_t n, at = 0, line = 0;

	if (!profile_get_info(p)->boot_unix_ns)
		return 0;
	starts = calloc((size_t)profile_count(p, PROFILE_OWNER) + 1, sizeof(*starts));
	if (!starts)
		return 0;
	n = find_starts(p, starts);
	for (; at < n && line < START_TIMES_LINES; line++)
		at += write_line(starts + at, n - at, line == START_TIMES_LINES - 1, ret[line]);
	return line;
}
