// SPDX-License-Identifier: GPL-2.0-only
#include "views/unanalysed.h"

#include "profile/profile.h"

static void print_unanalysed(const struct profile *p, __u64 ticks, const char *why, FILE *f)
{
	if (ticks)
		fprintf(f, "\nNot in the profile: %.1f%%, %llu tick%s of %s\n",
			100.0 * ticks / (ticks + profile_total_of(p, EVENT_CPU)), ticks, ticks > 1 ? "s" : "",
			why);
}

void unanalysed_print(const struct profile *p, FILE *f)
{
	const struct profile_info *info = profile_get_info(p);

	if (info->outside)
		fprintf(f, "\nSampled from outside, without BPF: %s, no native code\n",
			info->events & EVENT_BIT(EVENT_WALL) ? "no single waits" : "no waits");
	print_unanalysed(p, info->unanalysed, "programs that were not analysed yet", f);
	print_unanalysed(p, info->forbidden, "processes that may not be read", f);
}
