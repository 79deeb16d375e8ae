// SPDX-License-Identifier: GPL-2.0-only
#include "profile/shown.h"

#include "profile/profile.h"

static bool is_account(const struct profile *p)
{
	return profile_shown(p) == EVENT_CPU && profile_get_info(p)->timed;
}

enum event_unit shown_unit(const struct profile *p)
{
	return is_account(p) ? UNIT_NANOSECONDS : event_rows[profile_shown(p)].unit;
}

double shown_amount(const struct profile *p, __u64 count)
{
	return is_account(p) ? (double)count / 1e9 :
			       event_amount(profile_shown(p), count, profile_get_info(p)->period_ns);
}
