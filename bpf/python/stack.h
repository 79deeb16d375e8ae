/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.h - the current thread's stack, from its thread state to a node of the call tree: with the thread's
 * last stack or without, whole or marked.
 */
#ifndef PYPERF_BPF_PYTHON_STACK_H
#define PYPERF_BPF_PYTHON_STACK_H

#include "bpf/maps.h"
#include "bpf/python/cframe.h"
#include "bpf/python/epoch.h"
#include "bpf/python/intern.h"
#include "bpf/python/thread.h"
#include "bpf/tree/tree.h"

#define SETTLED 2048 /* jiffies without a new code object before cached callers are trusted without an epoch */

/* The data-stack chunk; frames that are objects (up to 3.10) have none. */
static __always_inline __u64 thread_chunk(const struct scratch *s, const struct layout *l)
{
	return l->tstate_chunk ? tstate_field(s, l->tstate_chunk) : 0;
}

static __always_inline __u64 thread_base(const struct scratch *s, const struct layout *l)
{
	return l->root_rule == ROOT_BASE ? tstate_field(s, l->tstate_base_frame) : 0;
}

/* Whether the walk, on top of the cached callers if k is given, reached the root as a chain of this version must. */
static __always_inline int thread_is_whole(const struct scratch *s, const struct layout *l, struct cache *k,
					   __u64 base)
{
	return walk_is_whole(&s->walk, l, base) && (!l->has_cframe || cframe_agrees(s, l, k));
}

/* Walks from the thread state in s->tstate and says what came of it. */
static __always_inline enum outcome walk_thread(struct scratch *s, const struct layout *l)
{
	struct walk *w = &s->walk;
	__u64 frame = thread_frame(s, l), chunk = thread_chunk(s, l), base = thread_base(s, l);
	__u32 end;

	w->keep_shims = 0;
	walk_begin(w, frame, chunk);
	w->caller = thread_caller(s, l);
	walk_run(w, l);
	if (frame && thread_is_whole(s, l, NULL, base))
		return OUTCOME_WHOLE;
	end = w->end;
	if (end == WALK_DEEP)
		return OUTCOME_TRUNCATED;
	/*
	 * _PyEval_EvalFrameDefault() of 3.11 and 3.12 links its CFrame before it fills it in: what is there may be no
	 * frame at all, or one that is gone and leads nowhere, and the callers that can be had are better. A frame further
	 * on that is not resident is another matter.
	 */
	if (l->has_cframe && (end != WALK_FAULT || w->depth < 2 || leaf_is_entry(s, l))) {
		if (walk_callers(s, l, chunk))
			return OUTCOME_INCOMPLETE;
		w->depth = 0;
		if (!frame)
			return OUTCOME_NO_FRAMES;
		return end == WALK_FAULT || !mem_plausible(frame) ? OUTCOME_UNREADABLE : OUTCOME_INCOMPLETE;
	}
	if (!frame || (!w->depth && w->end == WALK_ROOT))
		return OUTCOME_NO_FRAMES;
	return w->depth ? OUTCOME_INCOMPLETE : OUTCOME_UNREADABLE;
}

/* Adds and counts what was walked without the cache, marked by what became of it. */
static __always_inline enum outcome count_plain(struct scratch *s, struct cpu_stats *stats, struct thread *t,
						const struct layout *l, __u32 root, enum outcome outcome)
{
	s->remember = 0;
	s->node = root;
	if (root && outcome != OUTCOME_WHOLE)
		s->node = node_add(stats, s->bank, root, outcome);
	intern_stack(s, stats, t, l);
	return count_node(s, stats, root, outcome);
}

/* Forgets the cached stack when it is not of this thread state, epoch or tree. */
static __always_inline void cache_prepare(struct scratch *s, struct cpu_stats *stats, struct thread *t,
					  const struct process *p)
{
	/*
	 * Without an epoch only the fingerprints of new frames tell that addresses are used again. A process
	 * that makes code objects is read in full, for good once one stood where another had been. The first time
	 * must not go unseen for long, so cached callers are read again every second or so.
	 */
	struct cache *k = &t->cache;
	const int unsettled = !s->epoch && (!p->unsettled || p->unsettled == UNSETTLED_ALWAYS ||
					    t->used - p->unsettled < SETTLED || t->used - k->since > SETTLED / 8);

	if (k->depth && (k->tstate != t->tstate || k->epoch != s->epoch || k->root != t->root || unsettled)) {
		k->depth = 0;
		stats->cache_dropped++;
	}
	if (!k->depth)
		k->since = t->used;
	k->tstate = t->tstate;
	k->root = t->root;
	k->epoch = s->epoch;
}

static __always_inline void cache_count(struct scratch *s, struct cpu_stats *stats, struct thread *t)
{
	if (!s->walk.run)
		stats->cache_miss++;
	else if (!s->walk.depth && s->walk.run == t->cache.depth)
		stats->cache_full++;
	else
		stats->cache_partial++;
}

/* Whether the cache led to a whole stack, which then ends in s->node. */
static __always_inline int walk_cached(struct scratch *s, struct cpu_stats *stats, struct thread *t,
				       const struct process *p, const struct layout *l, __u32 root)
{
	struct walk *w = &s->walk;
	__u64 frame = thread_frame(s, l), base = thread_base(s, l);
	const struct cached *c = NULL;

	if (!frame)
		return 0;
	cache_prepare(s, stats, t, p);
	w->keep_shims = 1;
	walk_begin(w, frame, thread_chunk(s, l));
	w->caller = thread_caller(s, l);
	cache_run(w, &t->cache, l);
	if (w->run)
		c = cache_at(&t->cache, w->run - 1);
	if (!thread_is_whole(s, l, &t->cache, base) || (c && c->python + w->python > w->max_depth)) {
		t->cache.depth = 0;
		return 0;
	}
	cache_count(s, stats, t);
	stats->frames += w->python;
	if (c)
		stats->cache_frames += c->python;
	s->node = c ? c->node : root;
	s->remember = 1;
	s->kept = 0;
	if (w->depth)
		intern_stack(s, stats, t, l);
	cache_keep(&t->cache, w->run + s->kept, opt_cache_depth);
	if (!s->node)
		t->cache.depth = 0;
	return s->node != 0;
}

/* --cache check: a full walk must lead to the same node. Returns the node that it leads to. */
static __always_inline enum outcome check_cached(struct scratch *s, struct cpu_stats *stats, struct thread *t,
						 const struct layout *l, __u32 root, int cached)
{
	const __u32 node = s->node;
	enum outcome outcome = walk_thread(s, l);

	s->remember = 0;
	s->node = root;
	if (outcome != OUTCOME_WHOLE && root)
		s->node = node_add(stats, s->bank, root, outcome);
	intern_stack(s, stats, t, l);
	if (cached && s->node && s->node != node)
		stats->cache_mismatch++;
	return count_node(s, stats, root, outcome);
}

#endif
