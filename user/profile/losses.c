// SPDX-License-Identifier: GPL-2.0-only
#include "profile/losses.h"

#include <stdio.h>
#include <time.h>

#include "profile/profile.h"

#define TIME_SIZE 32

static void time_text(__s64 unix_ns, char ret[TIME_SIZE])
{
	const time_t seconds = unix_ns / 1000000000;
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(ret, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ret + n, TIME_SIZE - n, ".%03dZ", (int)(unix_ns / 1000000 % 1000));
}

void losses_text(const struct profile_info *info, char ret[LOSSES_TEXT_SIZE])
{
	size_t used = 0;

	*ret = '\0';
	for (__u32 i = 0; i < info->loss_count && i < PROFILE_LOSSES_MAX && used < LOSSES_TEXT_SIZE; i++) {
		const struct profile_loss *l = &info->losses[i];
		char from[TIME_SIZE], to[TIME_SIZE];

		time_text(l->from_unix_ns, from);
		time_text(l->to_unix_ns, to);
		used += snprintf(ret + used, LOSSES_TEXT_SIZE - used, "%s%llu from %s to %s", i ? ", " : "",
				 l->samples, from, to);
	}
}
