// SPDX-License-Identifier: GPL-2.0-only
#include "views/unanalysed.h"

#include "profile/profile.h"

void unanalysed_print(const struct profile *p, FILE *f)
{
	const __u64 ticks = profile_get_info(p)->unanalysed;

	if (profile_get_info(p)->outside)
		fputs("\nSampled from outside, without BPF: no waits, no native code\n", f);
	if (!ticks)
		return;
	fprintf(f, "\nNot in the profile: %.1f%%, %llu tick%s of programs that were not analysed yet\n",
		100.0 * ticks / (ticks + profile_total_of(p, EVENT_CPU)), ticks, ticks > 1 ? "s" : "");
}
