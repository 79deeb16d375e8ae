// SPDX-License-Identifier: GPL-2.0-only
#include "targets/unlooked.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bpf/abi.h"

struct unlooked_process {
	__u32 pid;
	__u32 user; /* in unlooked.users */
	bool failed;
	__u64 since;
	UT_hash_handle hh;
};

static struct unlooked_process *find_unlooked(const struct unlooked *u, __u32 pid)
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

/* Whose name is looked up once, by one of his processes. */
static __u32 find_user(struct unlooked *u, __u32 pid, __u64 user)
{
	struct unlooked_user *last;

	for (__u32 i = 0; i < u->user_count; i++)
		if (u->users[i].user == user)
			return i;
	if (u->user_count == UNLOOKED_USERS)
		return UNLOOKED_USERS;
	last = &u->users[u->user_count];
	last->user = user;
	if (user & USER_BY_UID)
		snprintf(last->name, sizeof(last->name), "uid %u", (__u32)user);
	else
		owner_name((pid_t)pid, last->name);
	return u->user_count++;
}

void unlooked_asked(struct unlooked *u, __u32 pid, __u64 user, __u64 now)
{
	struct unlooked_process *p;

	if (find_unlooked(u, pid) || HASH_COUNT(u->processes) >= UNLOOKED_MAX)
		return;
	p = calloc(1, sizeof(*p));
	if (!p)
		return;
	p->pid = pid;
	p->user = find_user(u, pid, user);
	p->since = now;
	HASH_ADD(hh, u->processes, pid, sizeof(p->pid), p);
	if (!p->hh.tbl)
		free(p);
}

void unlooked_failed(struct unlooked *u, __u32 pid)
{
	struct unlooked_process *p = find_unlooked(u, pid);

	if (p)
		p->failed = true;
}

void unlooked_known(struct unlooked *u, __u32 pid)
{
	struct unlooked_process *p = find_unlooked(u, pid);

	if (p)
		forget(u, p);
}

void unlooked_ended(struct unlooked *u, __u32 pid, __u64 now)
{
	struct unlooked_process *p = find_unlooked(u, pid);

	if (!p)
		return;
	u->users[p->user].ended += is_to_be_told(p, now);
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

/* Of each user, and in all. */
static size_t count(const struct unlooked *u, __u64 now, size_t counts[UNLOOKED_USERS + 1])
{
	size_t sum = 0;

	for (size_t i = 0; i <= UNLOOKED_USERS; i++)
		counts[i] = u->users[i].ended;
	for (const struct unlooked_process *p = u->processes; p; p = p->hh.next)
		counts[p->user] += is_to_be_told(p, now);
	for (size_t i = 0; i <= UNLOOKED_USERS; i++)
		sum += counts[i];
	return sum;
}

size_t unlooked_count(const struct unlooked *u, __u64 now)
{
	size_t counts[UNLOOKED_USERS + 1];

	return count(u, now, counts);
}

/* One has several numbers when its processes are in several cgroups. */
static void add_those_alike(const struct unlooked *u, size_t counts[UNLOOKED_USERS + 1])
{
	for (size_t i = 0; i < u->user_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(u->users[j].name, u->users[i].name))
				continue;
			counts[j] += counts[i];
			counts[i] = 0;
			break;
		}
	}
}

static size_t largest(const size_t counts[UNLOOKED_USERS])
{
	size_t best = 0;

	for (size_t i = 1; i < UNLOOKED_USERS; i++)
		if (counts[i] > counts[best])
			best = i;
	return best;
}

size_t unlooked_whose(const struct unlooked *u, __u64 now, char ret[UNLOOKED_WHOSE_SIZE])
{
	size_t counts[UNLOOKED_USERS + 1], others = 0, used = 0;
	const size_t all = count(u, now, counts);

	add_those_alike(u, counts);
	*ret = '\0';
	for (int i = 0; i < UNLOOKED_NAMED; i++) {
		const size_t best = largest(counts);

		if (!counts[best])
			break;
		used += snprintf(ret + used, UNLOOKED_WHOSE_SIZE - used, "%s%zu of %s", used ? ", " : "",
				 counts[best], *u->users[best].name ? u->users[best].name : "who has ended");
		counts[best] = 0;
	}
	for (size_t i = 0; i <= UNLOOKED_USERS; i++)
		others += counts[i];
	if (others)
		snprintf(ret + used, UNLOOKED_WHOSE_SIZE - used, "%s%zu of others", used ? ", " : "", others);
	return all;
}
