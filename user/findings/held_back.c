// SPDX-License-Identifier: GPL-2.0-only
#include "findings/held_back.h"

#include "base/clock.h"
#include "findings/scene.h"

static __s64 smaller(__s64 a, __s64 b)
{
	return a < b ? a : b;
}

struct held_back held_back_of(const struct scene *s, const struct recorded_quota *q)
{
	const __s64 held = q->held_us * NS_PER_US;
	struct held_back h = { 0 };
	__s64 threads = 0;

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct scene_thread *t = &s->threads[i];

		if (!q->more && !recorded_quota_has(q, t->pid)) /* else anybody may be one of the others */
			continue;
		h.ready = recorded_sum(h.ready, t->ready);
		threads += t->ready > 0;
	}
	h.least = smaller(h.ready, held);
	h.most = threads && held > h.ready / threads ? h.ready : held * threads;
	return h;
}

__s64 held_back_most(const struct scene *s)
{
	const struct recorded_quotas *all = &s->recorded->quotas;
	__s64 most = 0;

	for (size_t i = 0; i < all->count; i++)
		most = recorded_sum(most, held_back_of(s, &all->rows[i]).most);
	return most;
}
