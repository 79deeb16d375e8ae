// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/follow.h"

#include <stdlib.h>

#include "base/clock.h"
#include "targets/registry.h"

#define FOLLOW_NS (200 * NS_PER_MS) /* between two comparisons with the registry, at least */

static void forget_followed(struct follow *f, struct followed *p)
{
	HASH_DEL(f->processes, p);
	if (f->release)
		f->release(p);
	free(p);
}

void follow_end(struct follow *f)
{
	struct followed *p, *next;

	HASH_ITER(hh, f->processes, p, next)
		forget_followed(f, p);
	f->seen = 0;
}

struct followed *follow_find(const struct follow *f, __u32 id)
{
	struct followed *p;

	HASH_FIND(hh, f->processes, &id, sizeof(id), p);
	return p;
}

static void add_followed(struct follow *f, const struct registry_entry *e)
{
	struct followed *p = calloc(1, f->size);

	f->lacks |= !p;
	if (!p)
		return;
	p->id = e->id;
	p->pid = e->pid;
	p->start_time = e->start_time;
	p->is_there = true;
	p->due = f->next_follow - FOLLOW_NS; /* that is now: those who have waited for longer come before */
	HASH_ADD(hh, f->processes, id, sizeof(p->id), p);
	if (p->hh.tbl)
		return;
	f->lacks = true;
	free(p);
}

static int on_entry(void *follow, const struct registry_entry *e)
{
	struct follow *f = follow;
	struct followed *p = follow_find(f, e->id);

	if (p)
		p->is_there = !e->ended;
	else if (!e->ended && e->layout >= 0)
		add_followed(f, e);
	return 0;
}

static bool is_behind(const struct follow *f)
{
	return f->lacks || f->seen != registry_changes(f->registry);
}

bool follow_registry(struct follow *f, __u64 now)
{
	struct followed *p, *next;

	if (!is_behind(f) || now < f->next_follow)
		return false;
	f->next_follow = now + FOLLOW_NS;
	f->seen = registry_changes(f->registry);
	f->lacks = false;
	HASH_ITER(hh, f->processes, p, next)
		p->is_there = false;
	registry_each(f->registry, on_entry, f);
	HASH_ITER(hh, f->processes, p, next)
		if (!p->is_there)
			forget_followed(f, p);
	return true;
}

struct followed *follow_next(const struct follow *f)
{
	struct followed *first = NULL;

	for (struct followed *p = f->processes; p; p = p->hh.next)
		if (p->due != FOLLOW_NEVER && (!first || p->due < first->due))
			first = p;
	return first;
}

struct followed *follow_due(const struct follow *f, __u64 now)
{
	struct followed *p = now < f->next_look ? NULL : follow_next(f);

	return p && p->due <= now ? p : NULL;
}

int follow_due_ms(const struct follow *f, __u64 now, bool waits)
{
	const struct followed *p = waits ? NULL : follow_next(f);
	__u64 due = p ? p->due : FOLLOW_NEVER;

	if (p && due < f->next_look)
		due = f->next_look;
	if (is_behind(f) && due > f->next_follow)
		due = f->next_follow;
	if (due == FOLLOW_NEVER)
		return -1;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

void follow_rest(struct follow *f, __u64 ns)
{
	f->next_look = clock_ns() + ns;
}

void follow_pause(struct followed *p, const struct follow_pauses *pauses)
{
	p->pause = p->pause ? p->pause + p->pause / pauses->grow_by : pauses->min;
	if (p->pause > pauses->max)
		p->pause = pauses->max;
	p->due = clock_ns() + p->pause;
}
