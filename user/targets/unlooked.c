// SPDX-License-Identifier: GPL-2.0-only
#include "targets/unlooked.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

struct unlooked_process {
	__u32 pid;
	bool failed;
	__u64 since;
	UT_hash_handle hh;
};

static struct unlooked_process *find(const struct unlooked *u, __u32 pid)
{
	struct unlooked_process *p;

	HASH_FIND(hh, u->processes, &pid, sizeof(pid), p);
	return p;
}

static void forget(struct unlooked *u, struct unlooked_process *p)
{
	HASH_DEL(u->processes, p);
	free(p);
}

void unlooked_free(struct unlooked *u)
{
	struct unlooked_process *p, *next;

	HASH_ITER(hh, u->processes, p, next)
		forget(u, p);
}

static bool is_to_be_told(const struct unlooked_process *p, __u64 now)
{
	return p->failed || now > p->since + UNLOOKED_PATIENCE_NS;
}

void unlooked_asked(struct unlooked *u, __u32 pid, __u64 now)
{
	struct unlooked_process *p;

	if (find(u, pid) || HASH_COUNT(u->processes) >= UNLOOKED_MAX)
		return;
	p = calloc(1, sizeof(*p));
	if (!p)
		return;
	p->pid = pid;
	p->since = now;
	HASH_ADD(hh, u->processes, pid, sizeof(p->pid), p);
	if (!p->hh.tbl)
		free(p);
}

void unlooked_failed(struct unlooked *u, __u32 pid)
{
	struct unlooked_process *p = find(u, pid);

	if (p)
		p->failed = true;
}

void unlooked_known(struct unlooked *u, __u32 pid)
{
	struct unlooked_process *p = find(u, pid);

	if (p)
		forget(u, p);
}

void unlooked_ended(struct unlooked *u, __u32 pid, __u64 now)
{
	struct unlooked_process *p = find(u, pid);

	if (!p)
		return;
	u->ended += is_to_be_told(p, now);
	forget(u, p);
}

void unlooked_answered(struct unlooked *u, __u32 pid, int error, __u64 now)
{
	if (!error)
		unlooked_known(u, pid);
	else if (error == -ESRCH)
		unlooked_ended(u, pid, now);
	else if (error != -EAGAIN) /* of which a part was read, and the rest will be */
		unlooked_failed(u, pid);
}

size_t unlooked_count(const struct unlooked *u, __u64 now)
{
	size_t count = u->ended;

	for (const struct unlooked_process *p = u->processes; p; p = p->hh.next)
		count += is_to_be_told(p, now);
	return count;
}
