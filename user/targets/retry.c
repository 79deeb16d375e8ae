// SPDX-License-Identifier: GPL-2.0-only
#include "targets/retry.h"

#include "base/clock.h"
#include "python/identify.h"
#include "targets/rulings.h"

#define CHECK_MIN	(20 * NS_PER_MS)
#define CHECK_MAX	(30 * NS_PER_SECOND)
#define LOOKS_MAX	4  /* times that CHECK_MIN becomes ten times as long */
#define REFUSALS_MAX	11 /* doublings of CHECK_MIN */
#define PROOF_PAUSE_MIN (2 * NS_PER_MS)
#define PROOF_PATIENCE	NS_PER_SECOND

static __u64 after(__u64 pause, __u64 least)
{
	return clock_ns() + (pause < least ? least : pause > CHECK_MAX ? CHECK_MAX : pause);
}

__u64 retry_no_python(struct ruling *v, __u64 start_time)
{
	const __u64 now = clock_boot_ns(), lived = now > start_time ? now - start_time : 0;
	__u64 pause = CHECK_MIN;

	for (__u32 i = 0; i < v->looks; i++)
		pause *= 10;
	if (v->looks < LOOKS_MAX)
		v->looks++;
	return after(pause < lived ? pause : lived, CHECK_MIN);
}

__u64 retry_refused(struct ruling *v)
{
	__u64 pause = CHECK_MIN << v->refusals;

	if (v->refusals < REFUSALS_MAX)
		v->refusals++;
	return after(pause, CHECK_MIN);
}

__u64 retry_rest(void)
{
	return after(0, CHECK_MIN);
}

__u64 retry_unproved(const struct ruling *v)
{
	return after((clock_ns() - v->unproved_since) / 4, PROOF_PAUSE_MIN);
}

static bool is_known_release(const struct identity *i)
{
	const struct cpython *cpython = layout_find(i->hexversion);

	/* A reason is a note here: its offsets are not the usual ones. */
	if (!i->layout.runtime_interpreters && !i->layout.runtime_main)
		return false; /* which interpreters it has could not be told yet */
	return cpython && layout_is_released(i->hexversion) && !*i->reason &&
	       (!cpython->newest || i->hexversion <= cpython->newest);
}

bool retry_waits_for_proof(struct ruling *v, const struct identity *i)
{
	if (i->verdict != VERDICT_UNPROVED)
		return false;
	if (!v->unproved_since)
		v->unproved_since = clock_ns();
	return !is_known_release(i) || clock_ns() - v->unproved_since < PROOF_PATIENCE;
}
