// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/when.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/duration.h"

#define AGO_MAX (100LL * 365 * 86400) /* seconds; what is longer ago was not written by this program */

static int parse_ago(const char *text, __s64 now_ns, __s64 *ret)
{
	double seconds;

	if (duration_parse(text, 0, &seconds) || seconds > AGO_MAX)
		return -EINVAL;
	*ret = now_ns - (__s64)(seconds * NS_PER_SECOND);
	return 0;
}

static int parse_date(const char *text, const char *format, struct tm tm, __s64 *ret)
{
	const char *end = strptime(text, format, &tm);
	time_t seconds;

	if (!end || (*end && strcmp(end, "Z")))
		return -EINVAL;
	seconds = timegm(&tm);
	if (seconds <= 0 || seconds > AGO_MAX)
		return -EINVAL;
	*ret = seconds * (__s64)NS_PER_SECOND;
	return 0;
}

int when_parse(const char *text, __s64 now_ns, __s64 *ret)
{
	static const char *const dates[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };
	static const char *const times[] = { "%H:%M:%S", "%H:%M" };
	const time_t now = now_ns / (__s64)NS_PER_SECOND;
	struct tm today = { 0 }, none = { .tm_mday = 1 };

	if (*text == '-')
		return parse_ago(text + 1, now_ns, ret);
	for (size_t i = 0; i < ARRAY_SIZE(dates); i++)
		if (!parse_date(text, dates[i], none, ret))
			return 0;
	gmtime_r(&now, &today);
	today.tm_sec = 0;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (!parse_date(text, times[i], today, ret))
			return 0;
	return -EINVAL;
}
