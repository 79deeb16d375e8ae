// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/meet.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hosted/looked.h"
#include "hosted/sample.h"

#define PAUSE_MIN   (100 * NS_PER_MS) /* between two looks, ... */
#define PAUSE_COSTS 200 /* ... and that many times as long as one takes: 0.5 % of a CPU at most */
#define PASSES	    4 /* through the list, at most */
#define WORDS	    (LOOKED_PIDS / 64)

static bool with_children;
static __u64 due;
static __u64 *met, *before; /* a bit for each pid that there is, and that there was at the look before */

int meet_open(bool children)
{
	with_children = children;
	met = calloc(WORDS, sizeof(*met));
	before = calloc(WORDS, sizeof(*before));
	return met && before ? 0 : -ENOMEM;
}

/* Whether it is a child of one that is looked at. */
static bool take_child(pid_t pid)
{
	const struct looked *parent;
	const struct process *known;
	struct process_now now;
	__u64 execs;

	if (looked_find(pid) || process_now(pid, &now) || now.of_the_kernel || now.state == 'Z')
		return false;
	known = sample_known(pid);
	execs = known ? known->exec_id : 0;
	parent = with_children && !known ? looked_find(now.parent) : NULL;
	if (parent)
		execs = looked_forked(parent, pid, &now);
	/* At once: its own children may be there already. */
	if (parent || sample_is_of_all())
		looked_add(pid, &now, execs);
	return parent;
}

/* All that are new. Returns how many of them are children. */
static unsigned int pass(DIR *folder)
{
	const struct dirent *e;
	unsigned int children = 0;

	while ((e = readdir(folder))) {
		const unsigned long pid = strtoul(e->d_name, NULL, 10);

		if (!pid || pid >= LOOKED_PIDS)
			continue;
		met[pid / 64] |= 1ULL << pid % 64;
		if (!(before[pid / 64] >> pid % 64 & 1))
			children += take_child(pid);
	}
	return children;
}

static void list_processes(void)
{
	static unsigned int told;
	__u64 *other = before;
	DIR *folder = opendir("/proc");

	if (!folder)
		return;
	before = met;
	met = other;
	memset(met, 0, WORDS * sizeof(*met));
	/* A child may have been met before the profiler told of its parent. */
	if (with_children && told != looked_told())
		memset(before, 0, WORDS * sizeof(*before));
	told = looked_told();
	/* Numbers begin anew at the largest, and then a child has a smaller one than its parent. */
	for (int i = 0; i < PASSES && pass(folder); i++)
		rewinddir(folder);
	closedir(folder);
}

void meet(__u64 now)
{
	__u64 cost;

	if ((!with_children && !sample_is_of_all()) || now < due)
		return;
	list_processes();
	cost = PAUSE_COSTS * (clock_ns() - now);
	due = now + (cost > PAUSE_MIN ? cost : PAUSE_MIN);
}
