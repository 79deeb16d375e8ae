// SPDX-License-Identifier: GPL-2.0-only
#include "profile/carried.h"

#include <stdio.h>

#include "profile/profile.h"

const char *const carried_names[CARRIED_KINDS] = {
#define CARRIED(NAME, name, amount) [CARRIED_##NAME] = name,
#include "profile/carried.def"
#undef CARRIED
};

static void fill_amounts(const struct profile_info *info, __u64 ret[CARRIED_KINDS])
{
#define CARRIED(NAME, name, amount) ret[CARRIED_##NAME] = (__u64)(amount);
#include "profile/carried.def"
#undef CARRIED
}

static size_t set_carried(struct carried *ret, const char *before, const char *name, __u64 amount)
{
	if (!amount)
		return 0;
	snprintf(ret->name, sizeof(ret->name), "%.8s%s", before, name);
	ret->amount = amount;
	return 1;
}

size_t carried_list(const struct profile_info *info, struct carried ret[CARRIED_MAX])
{
	__u64 amounts[CARRIED_KINDS];
	char run[CARRIED_NAME_SIZE - sizeof(CARRIED_RUN)];
	size_t n = 0;

	fill_amounts(info, amounts);
	for (int i = 0; i < CARRIED_KINDS; i++)
		n += set_carried(&ret[n], "", carried_names[i], amounts[i]);
	for (int i = 0; i < FULL_TABLES; i++)
		n += set_carried(&ret[n], CARRIED_FULL, full_table_rows[i].stat, info->full[i]);
	snprintf(run, sizeof(run), "pyperf-bpf " PYPERF_VERSION ", %u Hz%s", info->frequency,
		 info->outside ? ", from outside" : "");
	return n + set_carried(&ret[n], CARRIED_RUN, run, 1);
}
