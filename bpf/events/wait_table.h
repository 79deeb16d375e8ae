/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait_table.h - the table of threads that wait: who has an entry, whose makes room, and when one is free
 * again. That is at the thread's end, or when a thread that is not the main one calls exec. There are ways to
 * miss both: an exec that fails half way, or an entry that was made for a thread just as it ended. So each
 * list of all tasks (asleep.h) also says whose entries are still needed, and the others are swept.
 *
 * The table is in sets of WAIT_WAYS entries. In a full set the user who has most of it makes room for the
 * others, down to equal shares: no user can keep the rest out, however many threads it makes.
 */
#ifndef PYPERF_BPF_EVENTS_WAIT_TABLE_H
#define PYPERF_BPF_EVENTS_WAIT_TABLE_H

#include <bpf/bpf_core_read.h>

#include "bpf/base/hash.h"
#include "bpf/base/mem.h"
#include "bpf/events/wait.h"
#include "bpf/sample/lifecycle.h"

#define TID_BITS 22 /* Linux gives out no larger ones: PID_MAX_LIMIT */

/* What names a thread in the table: its number, and enough of its start time. Never 0. */
static __always_inline __u64 wait_key(__u64 start_boottime, __u32 tid)
{
	return start_boottime << TID_BITS | (tid & ((1 << TID_BITS) - 1));
}

/* The number of the thread that a key names. */
static __always_inline __u32 wait_tid(__u64 key)
{
	return key & ((1 << TID_BITS) - 1);
}

static __always_inline __u32 wait_set(__u32 tid)
{
	return (__u32)mix(tid) & opt_wait_sets_mask;
}

/* Tells a task from all others that live: the page of its stack in the kernel, which it has to its end. */
static __always_inline __u32 wait_task(const struct task_struct *task)
{
	return (__u64)task->stack >> 12;
}

/* The entry with this key, which is of thread tid; NULL if there is none. */
static __always_inline struct wait *wait_of(__u64 key, __u32 tid)
{
	__u32 set = wait_set(tid);
	const struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);

	if (!k)
		return NULL;
	for (int i = 0; i < WAIT_WAYS; i++) {
		__u32 index = set * WAIT_WAYS + i;

		if (k->key[i] == key)
			return bpf_map_lookup_elem(&waits, &index);
	}
	return NULL;
}

static __always_inline struct wait *wait_find(const struct task_struct *task)
{
	return wait_of(wait_key(task->start_boottime, task->pid), task->pid);
}

/* Whose an entry is, from the largest circle to the smallest. */
static __always_inline void wait_user_of(const struct task_struct *task, struct wait_user *ret)
{
	ret->uid = task->cred->uid.val;
	ret->cgroup = 0;
	if (bpf_core_field_exists(task->cgroups))
		ret->cgroup = task->cgroups->dfl_cgrp->kn->id;
	ret->tgid = task->tgid;
}

#define SHARE_BITS 4 /* of a number from 0 to WAIT_WAYS */

/* How many of a set are of one's user, of these how many of its cgroup, of these how many of its process. */
struct wait_shares {
	__u32 uid, cgroup, tgid;
};

/* 1 or 0. As arithmetic: the verifier would follow both ways of each comparison. */
static __always_inline __u32 wait_same(__u32 a, __u32 b)
{
	__u64 differ = a ^ b;

	mem_opaque(differ);
	return (differ - 1) >> 63;
}

static __always_inline void wait_share(const struct wait_users *u, const struct wait_user *of,
				       struct wait_shares *ret)
{
	__u32 uid = 0, cgroup = 0, tgid = 0;

	for (int i = 0; i < WAIT_WAYS; i++) {
		const __u32 same_uid = wait_same(u->way[i].uid, of->uid);
		const __u32 same_cgroup = same_uid & wait_same(u->way[i].cgroup, of->cgroup);

		uid += same_uid;
		cgroup += same_cgroup;
		tgid += same_cgroup & wait_same(u->way[i].tgid, of->tgid);
	}
	*ret = (struct wait_shares){ uid, cgroup, tgid };
}

/*
 * How much more than a newcomer the holder of a way has, by the largest circle in which they are not the
 * same; 0 if not so much that after a change it would still have as much.
 */
static __always_inline __u32 wait_excess(const struct wait_users *u, const struct wait_user *holder,
					 const struct wait_user *newcomer, const struct wait_shares *has)
{
	struct wait_shares theirs;
	__u32 level, more;

	wait_share(u, holder, &theirs);
	if (holder->uid != newcomer->uid) {
		level = 3;
		more = theirs.uid > has->uid + 1;
	} else if (holder->cgroup != newcomer->cgroup) {
		level = 2;
		more = theirs.cgroup > has->cgroup + 1;
	} else {
		level = 1;
		more = theirs.tgid > has->tgid + 1;
	}
	if (!more)
		return 0;
	return ((level << SHARE_BITS | theirs.uid) << SHARE_BITS | theirs.cgroup) << SHARE_BITS | theirs.tgid;
}

/*
 * In a full set: the way of whom has most, if that is more than the newcomer has; WAIT_WAYS if nobody is to
 * make room. Only threads that wait do: the entry of one that runs may be in use on its CPU. It is a function
 * of its own to the verifier, which otherwise follows each outcome to the end of the sample.
 */
__noinline __u32 wait_who_yields(const struct wait_users *u, const struct wait_user *newcomer, __u32 set)
{
	__u32 most = 0, who = WAIT_WAYS;
	struct wait_shares has;

	if (!u || !newcomer)
		return WAIT_WAYS;
	wait_share(u, newcomer, &has);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < WAIT_WAYS; i++) {
		const __u32 excess = wait_excess(u, &u->way[i], newcomer, &has);
		__u32 index = set * WAIT_WAYS + i;
		const struct wait *w;

		if (excess <= most)
			continue;
		w = bpf_map_lookup_elem(&waits, &index);
		if (!w || !w->since)
			continue;
		most = excess;
		who = i;
	}
	return who;
}

/* The wait under way is counted up to now, and the entry is as new. Again the verifier's own function. */
__noinline int wait_clear(struct wait *w)
{
	if (!w)
		return 0;
	if (w->since)
		wait_move(w, bpf_ktime_get_ns(), WAIT_ENDS);
	wait_flush(w);
	__builtin_memset(w, 0, sizeof(*w));
	return 0;
}

/* The entry of way i, which is this thread's from now on. */
static __always_inline struct wait *wait_take_way(__u32 set, __u32 i, const struct wait_user *user)
{
	struct wait_users *u = bpf_map_lookup_elem(&wait_users, &set);
	__u32 index = set * WAIT_WAYS + i;
	struct wait *w = bpf_map_lookup_elem(&waits, &index);

	if (!w || !u || i >= WAIT_WAYS)
		return NULL;
	u->way[i] = *user;
	w->average = opt_min_wait;
	return w;
}

/* In a full set: the entry of a thread that makes room; NULL if none does. One wait is then without room. */
static __noinline struct wait *wait_displace(const struct task_struct *task, __u64 key, __u32 set)
{
	struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);
	const struct wait_users *u = bpf_map_lookup_elem(&wait_users, &set);
	struct wait_user user;
	__u32 i, index;
	struct wait *w;
	__u64 old;

	count_here(__builtin_offsetof(struct cpu_stats, waits_full));
	if (!k || !u)
		return NULL;
	wait_user_of(task, &user);
	i = wait_who_yields(u, &user, set);
	if (i >= WAIT_WAYS)
		return NULL;
	index = set * WAIT_WAYS + i;
	w = bpf_map_lookup_elem(&waits, &index);
	old = k->key[i];
	/* From here on nobody finds it by the old key. */
	if (!w || !old || __sync_val_compare_and_swap(&k->key[i], old, key) != old)
		return NULL;
	wait_clear(w);
	return wait_take_way(set, i, &user);
}

/*
 * An entry for a thread that had none; NULL if there is no room. The thread itself and list_asleep() may do
 * this at the same time: they meet at the first free place of the set.
 */
static __noinline struct wait *wait_new(const struct task_struct *task)
{
	const __u64 key = wait_key(task->start_boottime, task->pid);
	__u32 set = wait_set(task->pid);
	struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);
	struct wait_user user;

	if (!k)
		return NULL;
	for (int i = 0; i < WAIT_WAYS; i++) {
		__u32 index = set * WAIT_WAYS + i;
		__u64 old = k->key[i];

		if (!old)
			old = __sync_val_compare_and_swap(&k->key[i], 0, key);
		if (old == key)
			return bpf_map_lookup_elem(&waits, &index);
		if (old)
			continue;
		wait_user_of(task, &user);
		return wait_take_way(set, i, &user);
	}
	return wait_displace(task, key, set);
}

/* Way i of a set is free again. */
static __always_inline void wait_free_way(struct wait_keys *k, __u32 set, int i)
{
	__u32 index = set * WAIT_WAYS + i;
	struct wait *w = bpf_map_lookup_elem(&waits, &index);

	if (w) {
		wait_flush(w);
		__builtin_memset(w, 0, sizeof(*w));
	}
	barrier();
	k->key[i] = 0;
}

/* The thread is over. */
static __noinline void wait_free(const struct task_struct *task)
{
	const __u64 key = wait_key(task->start_boottime, task->pid);
	__u32 set = wait_set(task->pid);
	struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);

	if (!k)
		return;
	for (int i = 0; i < WAIT_WAYS; i++) {
		if (k->key[i] != key)
			continue;
		wait_free_way(k, set, i);
		return;
	}
}

/*
 * The thread has just called exec, and had this number before. If it was not the main thread, the kernel has
 * given it that one's number and start time, so that nobody will look for its entry any more. What its start
 * time was is not known either: the entry is told by the task, which is the same one.
 */
static __noinline void wait_exec(const struct task_struct *task, __u32 old_tid)
{
	__u32 set = wait_set(old_tid);
	struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);

	if (!k || old_tid == (__u32)task->pid)
		return;
	for (int i = 0; i < WAIT_WAYS; i++) {
		__u32 index = set * WAIT_WAYS + i;
		const struct wait *w;

		if (!k->key[i] || wait_tid(k->key[i]) != old_tid)
			continue;
		w = bpf_map_lookup_elem(&waits, &index);
		if (w && w->task == wait_task(task))
			wait_free_way(k, set, i);
	}
}

#endif
