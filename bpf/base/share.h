/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share.h - whose a task is, and what its user has of what all share. Where something gets short, who has
 * most of it gets no more: tree/quota.h.
 */
#ifndef PYPERF_BPF_BASE_SHARE_H
#define PYPERF_BPF_BASE_SHARE_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"

#ifndef task_user
/*
 * To whose account a task goes: its cgroup's, which is that of its container or service. A user's own session
 * may make as many cgroups as it likes, so there the uid counts; also where there is no cgroup v2. Never 0.
 */
static __always_inline __u64 task_user(const struct task_struct *task)
{
	const struct cgroup *cgroup;

	if (!bpf_core_field_exists(task->cgroups))
		return USER_BY_UID | BPF_CORE_READ(task, cred, uid.val);
	cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	if (BPF_CORE_READ(cgroup, level) < 1 || BPF_CORE_READ(cgroup, ancestors[1], kn, id) == opt_sessions)
		return USER_BY_UID | BPF_CORE_READ(task, cred, uid.val);
	return BPF_CORE_READ(cgroup, kn, id);
}
#endif

/* Another bank of the tree is in use now: what was got is nothing of this one. */
static __always_inline void share_renew(struct share *h, __u32 generation)
{
	if (h->generation == generation)
		return;
	h->generation = generation;
	h->nodes = h->codes = h->owners = h->processes = 0;
}

/*
 * What this user has. A user who has got nothing in this generation of the tree makes room for one who has no
 * place yet. NULL if nobody does: nothing is counted then, and nothing refused.
 */
static __always_inline struct share *share_of(__u64 user, __u32 generation)
{
	const __u32 set = (__u32)mix(user ^ opt_secret) & (SHARES - SHARE_WAYS);
	__u32 free = SHARES;
	struct share *h;
	__u64 old;

	for (__u32 i = 0; i < SHARE_WAYS; i++) {
		__u32 index = set + i;

		h = bpf_map_lookup_elem(&shares, &index);
		if (!h)
			return NULL;
		if (h->user == user) {
			share_renew(h, generation);
			return h;
		}
		if (!h->user || h->generation != generation)
			free = index;
	}
	h = bpf_map_lookup_elem(&shares, &free);
	old = h ? h->user : 0;
	if (!h || __sync_val_compare_and_swap(&h->user, old, user) != old)
		return NULL;
	h->generation = ~generation;
	share_renew(h, generation);
	return h;
}

#endif
