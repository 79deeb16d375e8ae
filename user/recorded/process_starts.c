// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/process_starts.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEAD   "processes began, in ms since 1970:"
#define OTHERS " others"

#define NS_OF_MS   1000000LL
#define MS_MAX	   (INT64_MAX / NS_OF_MS)

static __s64 earlier(__s64 a, __s64 b)
{
	return a && a < b ? a : b;
}

static void add_start(struct recorded_starts *s, __s64 pid, __s64 unix_ns)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->rows[i].pid != pid)
			continue;
		s->rows[i].unix_ns = earlier(s->rows[i].unix_ns, unix_ns);
		return;
	}
	if (s->count == RECORDED_STARTS_MAX)
		s->others_ns = earlier(s->others_ns, unix_ns);
	else
		s->rows[s->count++] = (struct recorded_start){ pid, unix_ns };
}

/* " 123", of at most this; -1: there is none. */
static __s64 take_number(const char **at, __s64 max)
{
	char *end;
	long long number;

	if (**at != ' ' || !isdigit((unsigned char)(*at)[1]))
		return -1;
	number = strtoll(*at, &end, 10);
	*at = end;
	return number <= max ? number : -1;
}

bool recorded_starts_comment(struct recorded_starts *s, const char *comment)
{
	const char *at = comment + strlen(HEAD);

	if (strncmp(comment, HEAD, strlen(HEAD)))
		return false;
	for (bool goes_on = true; goes_on; goes_on = *at++ == ',') {
		const bool is_others = !strncmp(at, OTHERS, strlen(OTHERS));
		__s64 pid = 0, ms;

		if (is_others)
			at += strlen(OTHERS);
		else
			pid = take_number(&at, UINT32_MAX);
		ms = pid < 0 ? -1 : take_number(&at, MS_MAX);
		if (ms <= 0)
			break;
		if (is_others)
			s->others_ns = earlier(s->others_ns, ms * NS_OF_MS);
		else
			add_start(s, pid, ms * NS_OF_MS);
	}
	return true;
}

__s64 recorded_starts_get(const struct recorded_starts *s, __s64 pid)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].pid == pid)
			return s->rows[i].unix_ns;
	return s->others_ns;
}
