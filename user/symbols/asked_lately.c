// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/asked_lately.h"

#include "base/clock.h"

bool asked_lately(struct asked_lately *a, __u32 about)
{
	__u64 *last = &a->last[about % ASKED_LATELY];
	const __u32 now = clock_ms();

	if (*last >> 32 == about && now - (__u32)*last < ASKED_LATELY_MS)
		return true;
	*last = (__u64)about << 32 | now;
	return false;
}

void asked_lately_forget(struct asked_lately *a, __u32 about)
{
	if (a->last[about % ASKED_LATELY] >> 32 == about)
		a->last[about % ASKED_LATELY] = 0;
}
