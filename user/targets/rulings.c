// SPDX-License-Identifier: GPL-2.0-only
#include "targets/rulings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"

#define CHECK_MIN	(20 * NS_PER_MS)
#define CHECK_MAX	(30 * NS_PER_SECOND)
#define LOOKS_MAX	4  /* times that CHECK_MIN becomes ten times as long */
#define REFUSALS_MAX	11 /* doublings of CHECK_MIN */
#define PROOF_PAUSE_MIN (2 * NS_PER_MS)
#define PROOF_PATIENCE	NS_PER_SECOND

struct ruling_entry {
	struct ruling ruling;
	UT_hash_handle hh; /* by pid */
};

struct rulings {
	struct ruling_entry *entries;
};

int rulings_new(struct rulings **ret)
{
	struct rulings *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*ret = r;
	return 0;
}

void rulings_free(struct rulings *r)
{
	struct ruling_entry *e, *next;

	if (!r)
		return;
	HASH_ITER(hh, r->entries, e, next) {
		HASH_DEL(r->entries, e);
		free(e);
	}
	free(r);
}

static struct ruling_entry *find(const struct rulings *r, __u32 pid)
{
	struct ruling_entry *e;

	HASH_FIND(hh, r->entries, &pid, sizeof(pid), e);
	return e;
}

static struct ruling_entry *add(struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->ruling.pid = pid;
	HASH_ADD(hh, r->entries, ruling.pid, sizeof(pid), e);
	if (e->hh.tbl)
		return e;
	free(e);
	return NULL;
}

struct ruling *rulings_get(struct rulings *r, __u32 pid, __u64 start_time, __u64 exec_id)
{
	struct ruling_entry *e = find(r, pid);

	if (!e)
		e = add(r, pid);
	if (!e)
		return NULL;
	if (e->ruling.start_time != start_time || e->ruling.exec_id != exec_id)
		e->ruling = (struct ruling){ .pid = pid, .start_time = start_time, .exec_id = exec_id };
	return &e->ruling;
}

struct ruling *rulings_find(const struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = find(r, pid);

	return e ? &e->ruling : NULL;
}

void rulings_forget(struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = find(r, pid);

	if (!e)
		return;
	HASH_DEL(r->entries, e);
	free(e);
}

size_t rulings_count(const struct rulings *r)
{
	return HASH_COUNT(r->entries);
}

void rulings_keep(struct rulings *r, bool (*lives)(void *context, const struct ruling *ruling),
		  void *context)
{
	struct ruling_entry *e, *next;

	HASH_ITER(hh, r->entries, e, next) {
		if (lives(context, &e->ruling))
			continue;
		HASH_DEL(r->entries, e);
		free(e);
	}
}

static __u64 after(__u64 pause, __u64 least)
{
	return clock_ns() + (pause < least ? least : pause > CHECK_MAX ? CHECK_MAX : pause);
}

__u64 ruling_check_again(struct ruling *v, __u64 start_time)
{
	const __u64 now = clock_boot_ns(), lived = now > start_time ? now - start_time : 0;
	__u64 pause = CHECK_MIN;

	for (__u32 i = 0; i < v->looks; i++)
		pause *= 10;
	if (v->looks < LOOKS_MAX)
		v->looks++;
	return after(pause < lived ? pause : lived, CHECK_MIN);
}

__u64 ruling_check_refused(struct ruling *v)
{
	__u64 pause = CHECK_MIN << v->refusals;

	if (v->refusals < REFUSALS_MAX)
		v->refusals++;
	return after(pause, CHECK_MIN);
}

__u64 ruling_check_rest(void)
{
	return after(0, CHECK_MIN);
}

__u64 ruling_check_unproved(const struct ruling *v)
{
	return after((clock_ns() - v->unproved_since) / 4, PROOF_PAUSE_MIN);
}

static bool is_known(const struct identity *i)
{
	const struct cpython *cpython = layout_find(i->hexversion);

	/* A reason is a note here: its offsets are not the usual ones. */
	if (!i->layout.runtime_interpreters && !i->layout.runtime_main)
		return false; /* which interpreters it has could not be told yet */
	return cpython && layout_is_released(i->hexversion) && !*i->reason &&
	       (!cpython->newest || i->hexversion <= cpython->newest);
}

bool ruling_waits_for_proof(struct ruling *v, const struct identity *i)
{
	if (i->verdict != VERDICT_UNPROVED)
		return false;
	if (!v->unproved_since)
		v->unproved_since = clock_ns();
	return !is_known(i) || clock_ns() - v->unproved_since < PROOF_PATIENCE;
}
