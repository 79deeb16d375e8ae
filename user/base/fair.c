// SPDX-License-Identifier: GPL-2.0-only
#include "base/fair.h"

bool fair_may(__u64 has, __u64 more, __u64 left)
{
	return more <= left && has + more <= left - more;
}
