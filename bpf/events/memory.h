/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - where Python processes grow and shrink. The kernel says of each change of a process's resident
 * memory, in the thread that made it, and mostly in the middle of a page fault: locks on the process's memory
 * are held, so nothing here may sleep, and reads of user memory that would fault just fail.
 *
 * What is said is which memory has changed, not by how much. So the pages it has are compared with those that
 * it had when they were last counted, and once they differ by --rss-step, the thread's stack stands for the
 * whole difference. Since Linux 6.2 each CPU hands its changes on when they come to 32 pages, or twice the
 * number of CPUs: until then the sum that is read here does not have them, and there is nothing to do.
 */
#ifndef PYPERF_BPF_EVENTS_MEMORY_H
#define PYPERF_BPF_EVENTS_MEMORY_H

#include <bpf/bpf_core_read.h>

#include "bpf/base/hash.h"
#include "bpf/events/memory_turn.h"
#include "bpf/events/watched.h"

/* As in linux/mm_types_task.h. What is in swap is not resident. */
#define MM_FILEPAGES  0
#define MM_ANONPAGES  1
#define MM_SHMEMPAGES 3

#define MEMORY_TOUCH 64 /* jiffies: no entry is written for less */

static __always_inline __s64 memory_pages(const struct mm_struct *mm)
{
	const struct mm_struct___before_6_2 *old = (const void *)mm;
	__s64 count[MM_SHMEMPAGES + 1];

	if (bpf_core_field_exists(old->rss_stat)) { /* the verifier of 6.1 cannot look into that array */
		if (bpf_core_read(count, sizeof(count), &old->rss_stat))
			return 0;
		return count[MM_FILEPAGES] + count[MM_ANONPAGES] + count[MM_SHMEMPAGES];
	}
	return mm->rss_stat[MM_FILEPAGES].count + mm->rss_stat[MM_ANONPAGES].count +
	       mm->rss_stat[MM_SHMEMPAGES].count;
}

static __always_inline struct memory_set *memory_set(__u64 mm)
{
	__u32 set = (__u32)mix(mm) & (MEMORY_SETS - 1);

	return bpf_map_lookup_elem(&memories, &set);
}

static __always_inline struct memory *memory_find(struct memory_set *set, __u64 mm)
{
	for (int i = 0; i < MEMORY_WAYS; i++)
		if (set->way[i].mm == mm)
			return &set->way[i];
	return NULL;
}

/*
 * From now on the present pages of this memory count as known. The least entry makes room: of processes that
 * are not known to be of interest, which anybody can start by the thousand, or else the one that changed
 * longest ago.
 */
static __always_inline void memory_new(struct memory_set *set, __u64 mm, __s64 pages, __u64 used)
{
	struct memory *oldest = &set->way[0];
	__u64 before;

	for (int i = 1; i < MEMORY_WAYS; i++)
		if (!set->way[i].mm || (oldest->mm && set->way[i].used < oldest->used))
			oldest = &set->way[i];
	before = oldest->mm;
	if (before == MEMORY_BUSY || __sync_val_compare_and_swap(&oldest->mm, before, MEMORY_BUSY) != before)
		return;
	if (before)
		count_here(__builtin_offsetof(struct cpu_stats, memories_dropped));
	oldest->pages = pages;
	oldest->used = used;
	oldest->pace = (struct pace){};
	oldest->last = 0;
	barrier();
	oldest->mm = mm;
}

/* Nobody has this memory any more: its address may soon be another's. */
static __always_inline void memory_forget(struct memory_set *set, __u64 mm)
{
	for (int i = 0; i < MEMORY_WAYS; i++)
		if (set->way[i].mm == mm)
			set->way[i].mm = 0;
}

/* Takes the pages that have not been counted yet, if they are enough to be counted now. 0 = they are not. */
static __always_inline __s64 memory_take(struct memory *m, __s64 pages)
{
	const __s64 before = *(volatile __s64 *)&m->pages, change = pages - before;

	if ((__u64)(change < 0 ? -change : change) < opt_rss_step)
		return 0;
	return __sync_val_compare_and_swap(&m->pages, before, pages) == before ? change : 0;
}

/* Counts the change, on this node if the outcome is in the profile. */
static __always_inline void memory_end(struct cpu_stats *count, __s64 change, __u32 node,
				       enum outcome outcome)
{
	if (change < 0)
		sample_end(count, EVENT_SHRINKAGE, node, outcome, -change * opt_page);
	else
		sample_end(count, EVENT_MEMORY, node, outcome, change * opt_page);
}

/*
 * Counts the change for the stack that was taken, or for the marker that stands for it. Shrinkage is below
 * the roots of growth, in a node above the stack's: so one walk and one cache serve both.
 */
static __always_inline void memory_count(struct scratch *s, struct cpu_stats *count, __s64 change,
					 enum outcome outcome)
{
	__u32 node = s->tree.node;

	if (outcome == OUTCOME_NOT_PYTHON || outcome == OUTCOME_NOT_SELECTED)
		return;
	if (change < 0 && outcome_is_in_profile(outcome)) {
		node = wait_cause(count, s->tree.bank, node, WAIT_RETURNED);
		outcome = node ? outcome : OUTCOME_TABLE_FULL;
		node = node ?: EVENT_SHRINKAGE;
	}
	memory_end(count, change, node, outcome);
}

/*
 * The look at the memory that this CPU looked at last is over. That is found once more: who kept it would
 * keep it on the BPF stack, of which there is no more while a stack is taken.
 */
static __noinline void memory_looked(struct scratch *s, struct cpu_stats *count, __u64 begin)
{
	const __u64 mm = *(volatile __u64 *)&s->memory.mm;
	struct memory_set *set = memory_set(mm);
	struct memory *m = set ? memory_find(set, mm) : NULL;

	if (m)
		memory_charge(s, count, m, begin);
	else
		cost_charge(s, count, EVENT_MEMORY, begin);
}

/* The current thread has changed its process's memory, m, by so many pages. */
static __always_inline void memory_sample(struct memory *m, __s64 change)
{
	const __u64 begin = opt_budget ? bpf_ktime_get_ns() : 0;
	__u32 cpu = bpf_get_smp_processor_id(), outcome;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (!s || !count)
		return;
	if (opt_budget)
		change *= memory_turn(s, count, m, begin);
	if (!change)
		return;
	if (s->busy) {
		memory_end(count, change, 0, OUTCOME_NESTED);
		return;
	}
	s->busy = 1;
	barrier();
	count->memory_seen++;
	outcome = sample_task(s, count, EVENT_MEMORY);
	memory_count(s, count, change, outcome);
	if (opt_budget)
		memory_looked(s, count, begin);
	barrier();
	s->busy = 0;
}

/* Somebody else has changed it: the kernel, which takes pages back, or another program. */
static __always_inline void memory_by_others(struct memory_set *set, __u64 address,
					     const struct mm_struct *mm, __s64 pages)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	struct memory *m = memory_find(set, address);
	__s64 change;

	if (!m || !count)
		return;
	if (!mm->mm_users.counter) { /* it is being taken down */
		memory_forget(set, address);
		return;
	}
	change = memory_take(m, pages);
	if (change)
		memory_end(count, change, 0, OUTCOME_BY_OTHERS);
}

/* Also a process that grows slowly is in use: what it grows by may not be enough to be counted for hours. */
static __always_inline void memory_touch(struct memory *m, __u64 used)
{
	if (used - m->used > MEMORY_TOUCH)
		m->used = used;
}

/* Some of this memory's pages came, or went. Mostly the sum is what it was when this CPU last looked. */
static __always_inline void on_rss_change(const struct mm_struct *mm)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __s64 pages = memory_pages(mm);
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct memory_set *set;
	struct memory *m;
	struct cpu_stats *count;
	__u64 address, counted;
	__s64 change;

	if (!s || (s->memory.mm == (__u64)mm && s->memory.pages == pages))
		return;
	s->memory.mm = (__u64)mm;
	s->memory.pages = pages;
	/* Read back as a number: the verifier allows no arithmetic with a pointer to the kernel's. */
	address = *(volatile __u64 *)&s->memory.mm;
	set = memory_set(address);
	if (!set)
		return;
	if (task->mm != mm) {
		memory_by_others(set, address, mm, pages);
		return;
	}
	count = bpf_map_lookup_elem(&stats, &cpu);
	if (!count)
		return;
	counted = watched_process(task, s, count) ? MEMORY_COUNTED : 0;
	mem_opaque(counted); /* the verifier would follow both to the end */
	if (!counted && !is_undecided(task, s))
		return;
	counted |= bpf_jiffies64();
	m = memory_find(set, address);
	if (!m) {
		memory_new(set, address, pages, counted);
		return;
	}
	memory_touch(m, counted);
	change = memory_take(m, pages);
	if (change)
		memory_sample(m, change);
}

#endif
