/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * full.h - --native full: the native frames of a whole Python stack, and how the two go together.
 */
#ifndef PYPERF_BPF_STACK_FULL_H
#define PYPERF_BPF_STACK_FULL_H

#include "bpf/native/find.h"
#include "bpf/python/cframe.h"
#include "bpf/python/greenlet.h"
#include "bpf/python/greenlet_links.h"
#include "bpf/python/thread.h"
#include "bpf/stack/merge.h"

#define CUT_STEPS 11 /* of a search by halves among CACHE_DEPTH frames */

/* The thread's slot in native_caches; NATIVE_CACHE_NONE if it has none. */
static __always_inline __u32 native_cache_slot(const struct thread *t)
{
	const __u32 first = thread_first(t->tid);

	for (int i = 0; i < THREAD_WAYS; i++) {
		__u32 index = first + i;

		if (bpf_map_lookup_elem(&threads, &index) == t)
			return index;
	}
	return NATIVE_CACHE_NONE;
}

static long native_cut_step(__u32 i, struct cache_context *c)
{
	int stop = cache_flush(c->w, c->k);

	(void)i;
	mem_opaque(stop);
	return stop != 0;
}

/*
 * Takes Python frames out of the walk's cached part, until those that are left stand on native frames that
 * were compared. It moves them to the walk's new ones.
 */
static __always_inline void native_cut(struct scratch *s, struct thread *t, struct native_cache *k)
{
	const __u32 run = s->unwind.cached.run;
	struct walk *w = &s->walk;
	struct cache_context c = { w, &t->cache, NULL };
	volatile __u32 low = 0, high = w->cached.run;

	if (!high || (k && k->below[(high - 1) & (CACHE_DEPTH - 1)] <= run))
		return;
	for (int i = 0; k && i < CUT_STEPS && low < high; i++) {
		const __u32 middle = (low + high) / 2;

		if (k->below[middle & (CACHE_DEPTH - 1)] <= run)
			low = middle + 1;
		else
			high = middle;
	}
	w->cached.flush = w->cached.run;
	w->cached.left = low - 1;
	w->cached.run = low;
	bpf_loop(CACHE_DEPTH / FLUSH_FRAMES + 1, native_cut_step, &c, 0);
}

/*
 * native_merge() as a global function, which the verifier looks at once. The caller sets u->merge.use_cache
 * and base. Sets u->merge.cached.
 */
__noinline int native_merge_global(struct scratch *s, struct cpu_stats *count, struct thread *t,
				   const struct layout *l)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	const __u64 sp = regs_sp(regs);
	struct native_cache *k = NULL;
	struct unwind *u;
	__u32 goal, cached;

	if (!s || !count || !t || !l)
		return -1;
	u = &s->unwind;
	cached = u->merge.use_cache;
	u->merge.slot = cached ? native_cache_slot(t) : NATIVE_CACHE_NONE;
	k = native_cache_of(u);
	goal = u->goal;
	u->goal = UNWIND_ALL;
	native_find(s, count, bpf_get_current_task_btf(), k);
	u->goal = goal;
	if (cached)
		native_cut(s, t, k);
	u->merge.cached = k != NULL;
	u->merge.state = MERGE_DONE;
	if (cached && s->walk.cached.flush) { /* it has no room for what was taken out of its cached part */
		u->merge.state = MERGE_NONE;
		return -1;
	}
	/* While greenlets switch, the Python frames lack the shims by which the native ones are found. */
	if (!greenlet_is_likely(&s->walk, l) && !greenlet_skips_shims(&s->walk, l, thread_leaf(s, l), sp) &&
	    !merge_run(s, k, &t->cache, cached ? s->walk.cached.run : 0, l))
		return 0;
	u->merge.state = MERGE_FAILED;
	u->end = NATIVE_MISMATCH;
	return -1;
}

/*
 * Finds the native frames, and how they go together with the Python frames of the walk. If `cached`, the walk
 * stands on the first w->cached.run frames of the thread's cache, and fewer of them may be left after it.
 * base: thread_base(). 0, or negative if they do not fit together.
 */
static __always_inline int native_merge(struct scratch *s, struct cpu_stats *count, struct thread *t,
					const struct layout *l, __u64 base, int cached)
{
	s->unwind.merge.base = base;
	s->unwind.merge.use_cache = cached;
	return native_merge_global(s, count, t, l);
}

#endif
