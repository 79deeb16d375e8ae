/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait_table.h - the table of threads that wait: who has an entry, whose makes room, and when one is free
 * again. That is at the thread's end, or when a thread that is not the main one calls exec. There are ways to
 * miss both: an exec that fails half way, or an entry that was made for a thread just as it ended. So each
 * list of all tasks (asleep.h) also says whose entries are still needed, and the others are swept.
 *
 * The table is in sets of WAIT_WAYS entries. In a full set the owner who has most of it makes room for
 * the others, down to equal shares: nobody can keep the rest out, however many threads it makes.
 */
#ifndef PYPERF_BPF_EVENTS_WAIT_TABLE_H
#define PYPERF_BPF_EVENTS_WAIT_TABLE_H

#include "bpf/base/mem.h"
#include "bpf/base/share.h"
#include "bpf/events/wait.h"
#include "bpf/sample/lifecycle.h"

#define WAIT_NONE 0xffffffff /* no table is as large */
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

/*
 * Linux numbers threads in turn. As many in a row as there are sets are in one each. Which of two such rows
 * share a set is secret, so nobody can choose threads that fill the set of somebody else's.
 */
static __always_inline __u32 wait_set(__u32 tid)
{
	const __u32 row = tid & ~opt_wait_sets_mask;

	return (tid ^ (__u32)(row * opt_secret >> 32)) & opt_wait_sets_mask;
}

/* Tells a task from all others that live: the page of its stack in the kernel, which it has to its end. */
static __always_inline __u32 wait_task(const struct task_struct *task)
{
	return (__u64)task->stack >> 12;
}

/* Whose entry it is. */
static __always_inline void wait_name(struct wait *w, const struct task_struct *task)
{
	w->tid = task->pid;
	w->began = task->start_boottime;
	w->task = wait_task(task);
}

/* The number of the entry with this key, which is of thread tid; WAIT_NONE if there is none. */
static __always_inline __u32 wait_index(__u64 key, __u32 tid)
{
	__u32 set = wait_set(tid);
	const struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);

	if (!k)
		return WAIT_NONE;
	for (int i = 0; i < WAIT_WAYS; i++)
		if (k->key[i] == key)
			return set * WAIT_WAYS + i;
	return WAIT_NONE;
}

/* The entry with this key, which is of thread tid; NULL if there is none. */
static __always_inline struct wait *wait_of(__u64 key, __u32 tid)
{
	__u32 index = wait_index(key, tid);

	return index == WAIT_NONE ? NULL : bpf_map_lookup_elem(&waits, &index);
}

static __always_inline struct wait *wait_find(const struct task_struct *task)
{
	return wait_of(wait_key(task->start_boottime, task->pid), task->pid);
}

static __always_inline void wait_user_of(const struct task_struct *task, struct wait_user *ret)
{
	ret->owner = task_user(task);
	ret->process = task->tgid;
	ret->pad = 0;
}

/* 1 or 0. As arithmetic: the verifier would follow both ways of each comparison. */
static __always_inline __u32 wait_same(__u64 a, __u64 b)
{
	__u64 differ = a ^ b;

	differ |= -differ;
	mem_opaque(differ);
	return 1 ^ differ >> 63;
}

#define SHARE_BITS 4 /* of a number from 0 to WAIT_WAYS */
#define SHARE_MASK ((1 << SHARE_BITS) - 1)

/*
 * How many of a set are of one's owner, and below that how many of these are of its process. It is a function
 * of its own to the verifier, which otherwise follows each sum that is possible.
 */
__noinline __u32 wait_share(const struct wait_users *u, const struct wait_user *of)
{
	__u32 owner = 0, process = 0;

	if (!u || !of)
		return 0;
#pragma clang loop unroll(full)
	for (int i = 0; i < WAIT_WAYS; i++) {
		const __u32 same = wait_same(u->way[i].owner, of->owner);

		owner += same;
		process += same & wait_same(u->way[i].process, of->process);
	}
	return owner << SHARE_BITS | process;
}

/*
 * How much more than a newcomer the holder of a way has: of the set if their owners are two, else of what
 * their owner has. 0 if not so much that after a change it would still have as much.
 */
static __always_inline __u32 wait_excess(const struct wait_users *u, const struct wait_user *holder,
					 const struct wait_user *newcomer, __u32 has)
{
	const __u32 theirs = wait_share(u, holder);

	if (holder->owner == newcomer->owner)
		return (theirs & SHARE_MASK) > (has & SHARE_MASK) + 1 ? theirs : 0;
	return theirs >> SHARE_BITS > (has >> SHARE_BITS) + 1 ? theirs << SHARE_BITS : 0;
}

/*
 * In a full set: the way of whom has most, if that is more than the newcomer has; WAIT_WAYS if nobody is to
 * make room. Only threads that wait do: the entry of one that runs may be in use on its CPU. Again a function
 * of its own to the verifier, which otherwise follows each outcome to the end of the sample.
 */
__noinline __u32 wait_who_yields(const struct wait_users *u, const struct wait_user *newcomer, __u32 set)
{
	__u32 most = 0, who = WAIT_WAYS;
	__u32 has;

	if (!u || !newcomer)
		return WAIT_WAYS;
	has = wait_share(u, newcomer);
	for (__u32 i = 0; i < WAIT_WAYS; i++) {
		const __u32 excess = wait_excess(u, &u->way[i], newcomer, has);
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
		wait_move(w, bpf_ktime_get_ns(), WAIT_YIELDS);
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
	w->average[0] = w->average[1] = opt_min_wait;
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
