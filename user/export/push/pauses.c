// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/pauses.h"

#include "base/hash.h"

/* 0 to 1 */
static double draw(struct push_pauses *p)
{
	const __u64 number = ++p->drawn;

	return (double)hash_bytes(&number, sizeof(number)) / (double)(1ULL << 32);
}

void push_pauses_begin(struct push_pauses *p)
{
	p->phase = draw(p);
}

double push_pauses_phase(const struct push_pauses *p, double interval_seconds)
{
	return p->phase * (interval_seconds < PUSH_SPREAD_MAX ? interval_seconds : PUSH_SPREAD_MAX);
}

double push_pauses_again(struct push_pauses *p, int attempts)
{
	return (double)(1 << (attempts - 1)) * (0.75 + draw(p) / 2);
}

double push_pauses_wanted(struct push_pauses *p, double seconds)
{
	return seconds * (1 + draw(p) / 4);
}
