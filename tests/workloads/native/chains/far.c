// SPDX-License-Identifier: GPL-2.0-only
/* Another library. */
#include "chains.h"

FUNCTION far_away(uint64_t n)
{
	return n + 1;
}

FUNCTION calls_far_away(uint64_t n)
{
	return spin(n) + far_away(n);
}
