/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.h - the current thread's stack, from its thread state to a node of the call tree: first with the
 * thread's last stack, if that may be used, else with a walk of all of it. What is not whole is marked.
 */
#ifndef PYPERF_BPF_STACK_STACK_H
#define PYPERF_BPF_STACK_STACK_H

#include "bpf/data/maps.h"
#include "bpf/python/cache.h"
#include "bpf/python/cframe.h"
#include "bpf/python/context.h"
#include "bpf/python/data_stack.h"
#include "bpf/python/epoch.h"
#include "bpf/python/greenlet.h"
#include "bpf/python/task.h"
#include "bpf/python/thread.h"
#include "bpf/stack/intern.h"
#include "bpf/stack/leaf.h"
#include "bpf/stack/marks.h"
#include "bpf/stack/trust.h"
#include "bpf/tree/tree.h"

/* The data-stack chunk; frames that are objects (up to 3.10) have none. */
static __always_inline __u64 thread_chunk(const struct scratch *s, const struct layout *l)
{
	return l->tstate_chunk ? tstate_field(s, l->tstate_chunk) : 0;
}

/* 3.15: the frame at which the thread's chain ends; 0 in other versions. */
static __always_inline __u64 thread_base(const struct scratch *s, const struct layout *l)
{
	return l->root_rule == ROOT_BASE ? tstate_field(s, l->tstate_base_frame) : 0;
}

/* Whether the walk has all of a stack that greenlet is about to leave, or has just come to. */
static __always_inline int thread_is_exposed(struct walk *w, const struct layout *l)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return greenlet_is_exposed(w, l, regs_sp(regs));
}

/*
 * Whether the walk, on top of the cached callers if k is given, reached the root as a chain of this version
 * must.
 */
static __always_inline int thread_is_whole(struct scratch *s, const struct layout *l, struct cache *k,
					   __u64 base)
{
	struct walk *w = &s->walk;

	if (!walk_is_whole(w, l, base) && !(greenlet_is_likely(w, l) && thread_is_exposed(w, l)))
		return 0;
	return !l->has_cframe || cframe_agrees(s, l, k);
}

/*
 * 3.11, 3.12: walks from the newest frame of the data stack, if that is the leaf and the CFrame does not name
 * it, and says whether it is a whole stack. The C stack is another greenlet's then, so with the native frames
 * of other functions than the leaf there is no such walk.
 */
WALK_GLOBAL int walk_data_stack(struct scratch *s, const struct layout *l)
{
	struct walk *w;
	__u64 chunk;

	if (!s || !l)
		return 0;
	w = &s->walk;
	chunk = thread_chunk(s, l);
	if (opt_native >= NATIVE_MODE_TOP || !l->code_numbers || leaf_is_gone(s, l) ||
	    !data_stack_find(w, l, chunk, tstate_field(s, l->tstate_chunk + 8),
			     tstate_field(s, l->tstate_exc_info)))
		return 0;
	walk_from(w, l, w->last, chunk);
	return walk_is_whole(w, l, 0) || (greenlet_is_likely(w, l) && thread_is_exposed(w, l));
}

/* Walks from the thread state in s->tstate. Returns the outcome. */
static __always_inline enum outcome walk_thread(struct scratch *s, const struct layout *l)
{
	struct walk *w = &s->walk;
	__u64 frame = thread_frame(s, l), chunk = thread_chunk(s, l), base = thread_base(s, l);
	__u32 end;

	w->keep_shims = opt_native >= NATIVE_MODE_TOP;
	walk_begin(w, frame, chunk);
	w->entry.caller = thread_caller(s, l);
	walk_run(w, l);
	/* When the last Python frame is gone, its shim is still there for some instructions. */
	if (frame && thread_is_whole(s, l, NULL, base))
		return w->python ? OUTCOME_WHOLE : OUTCOME_NO_FRAMES;
	end = w->end;
	if (end == WALK_DEEP)
		return OUTCOME_TRUNCATED;
	if (end == WALK_LATE)
		return OUTCOME_OVER_BUDGET;
	/*
	 * A CFrame that is not filled in yet may name no frame at all, or one that is gone and leads nowhere.
	 * The callers that can be had by the CFrame before are better than that. If the walk went on and then
	 * met memory that is not resident, the CFrame is not the reason, and what was read is kept.
	 */
	if (l->has_cframe && !cframe_is_first(s, l) &&
	    (end != WALK_FAULT || w->python < 2 || leaf_is_entry(s, l))) {
		if (walk_data_stack(s, l))
			return OUTCOME_WHOLE;
		if (walk_callers(s, l, chunk))
			return OUTCOME_INCOMPLETE;
		w->depth = 0;
		if (!frame)
			return OUTCOME_NO_FRAMES;
		return end == WALK_FAULT || !mem_plausible(frame) ? OUTCOME_UNREADABLE : OUTCOME_INCOMPLETE;
	}
	if (!frame || (!w->python && w->end == WALK_ROOT))
		return OUTCOME_NO_FRAMES;
	return w->python ? OUTCOME_INCOMPLETE : OUTCOME_UNREADABLE;
}

/*
 * The time was up before all of the stack was in the tree: adds its frames nearest to the leaf, below a
 * marker at its root. Of its native frames none but the leaf's own is left.
 */
static __always_inline void add_leaf(struct scratch *s, struct cpu_stats *count, struct thread *t,
				     const struct layout *l, __u32 root)
{
	struct walk *w = &s->walk;

	w->leaf_only = 1;
	if (w->depth > s->intern.left_out + walk_leaf_depth(w))
		w->depth = s->intern.left_out + walk_leaf_depth(w);
	if (opt_native == NATIVE_MODE_FULL && s->unwind.merge.state == MERGE_DONE) {
		s->unwind.merge.state = MERGE_FAILED;
		s->unwind.end = NATIVE_INCOMPLETE;
		s->unwind.depth = s->unwind.depth != 0;
	}
	s->tree.node = root ? node_add(count, s->tree.bank, root, OUTCOME_OVER_BUDGET) : 0;
	intern_stack(s, count, t, l);
}

/*
 * Adds a stack that was walked without the cache to the tree, below a marker unless it is whole. Returns the
 * outcome.
 */
static __always_inline enum outcome add_plain(struct scratch *s, struct cpu_stats *count, struct thread *t,
					      const struct layout *l, __u32 root, enum outcome outcome)
{
	s->intern.remember = 0;
	if (opt_native >= NATIVE_MODE_TOP)
		s->unwind.object = 0;
	if (opt_native == NATIVE_MODE_FULL && (outcome == OUTCOME_WHOLE || outcome == OUTCOME_TRUNCATED) &&
	    s->unwind.merge.state != MERGE_FAILED)
		native_merge(s, count, t, l, thread_base(s, l), 0);
	s->tree.node = root;
	if (root && outcome != OUTCOME_WHOLE)
		s->tree.node = node_add(count, s->tree.bank, root, outcome);
	intern_stack(s, count, t, l);
	if (!s->intern.late)
		return outcome;
	add_leaf(s, count, t, l, root);
	return OUTCOME_OVER_BUDGET;
}

/* Adds such a stack, and the native frames and attributes that belong to it. Returns the final outcome. */
static __always_inline enum outcome count_plain(struct scratch *s, struct cpu_stats *count,
						const enum event_kind kind, struct thread *t,
						const struct layout *l, __u32 root, enum outcome outcome)
{
	outcome = add_plain(s, count, t, l, root, outcome);
	return count_node(s, count, kind, root, outcome);
}

/* With --native full: remembers the sample's frames, the Python and the native ones, or leaves both alone. */
static __always_inline void native_keep(struct scratch *s, struct thread *t)
{
	const __u32 depth = s->walk.cached.run + s->intern.cached;
	struct native_cache *k;

	if (!s->unwind.merge.cached || s->unwind.end != NATIVE_FUNCTION)
		return;
	k = native_cache_of(&s->unwind);
	if (!k)
		return;
	native_cache_renew(&s->unwind, k, s->who.known.space);
	cache_keep(&t->cache, depth, opt_cache_depth);
}

/* Remembers the sample's frames for the thread's next one. */
static __always_inline void stack_keep(struct scratch *s, struct thread *t)
{
	if (opt_native == NATIVE_MODE_FULL)
		native_keep(s, t);
	else
		cache_keep(&t->cache, s->walk.cached.run + s->intern.cached, opt_cache_depth);
	t->cache.empty = s->code.unsettled & UNSETTLED_YOUNG ? CACHE_UNSETTLED : CACHE_OTHER;
	if (!s->tree.node)
		t->cache.depth = 0;
}

/* Whether the cache led to a whole stack, which then ends in s->tree.node. */
static __always_inline int walk_cached(struct scratch *s, struct cpu_stats *count, struct thread *t,
				       const struct process *p, const struct layout *l, __u32 root)
{
	struct walk *w = &s->walk;
	__u64 frame = thread_frame(s, l), base = thread_base(s, l);
	const struct cached *c = NULL;
	__u32 python, offered;

	if (!frame)
		return 0;
	cache_prepare(s, count, t, p, root);
	offered = t->cache.depth;
	if (opt_async)
		await_doubt(s, t);
	w->keep_shims = 1;
	walk_begin(w, frame, thread_chunk(s, l));
	w->entry.caller = thread_caller(s, l);
	cache_run(w, &t->cache, l);
	if (w->cached.run)
		c = cache_at(&t->cache, w->cached.run - 1);
	python = w->python + (c ? c->python : 0);
	if (!thread_is_whole(s, l, &t->cache, base) || !python || python > w->max_depth) {
		t->cache.depth = 0;
		return 0;
	}
	if (cache_is_refuted(s, count, t, p, l)) {
		cache_refute(s, count, t);
		return 0;
	}
	marks_note(s, t);
	s->intern.remember = 1;
	if (opt_native == NATIVE_MODE_FULL) {
		if (native_merge(s, count, t, l, base, 1)) {
			t->cache.depth = 0;
			return 0;
		}
		/* A stack that lacks native frames has other nodes than a later one that has them. */
		s->intern.remember = s->unwind.merge.cached && s->unwind.end == NATIVE_FUNCTION;
		c = w->cached.run ? cache_at(&t->cache, w->cached.run - 1) : NULL;
	}
	s->tree.node = c ? c->node : root;
	if (opt_native >= NATIVE_MODE_TOP)
		s->unwind.object = c ? cache_shim(&t->cache, w->cached.run) : 0;
	s->intern.cached = 0;
	if (w->depth || opt_native == NATIVE_MODE_FULL)
		intern_stack(s, count, t, l);
	if (cache_is_doubted(s, count, t, l)) {
		cache_refute(s, count, t);
		return 0;
	}
	cache_count(s, count, t, offered);
	count->frames += w->python;
	if (c)
		count->cache_frames += c->python;
	stack_keep(s, t);
	return s->tree.node != 0;
}

/*
 * Whether the walk that was to use the cache went as deep as it may and met no cached frame. Then a full walk
 * would find the same frames. This one has shims besides, which are skipped when it is added.
 */
static __always_inline int walk_is_truncated(const struct scratch *s)
{
	const struct walk *w = &s->walk;

	return w->keep_shims && w->end == WALK_DEEP && w->python == w->max_depth && !w->cached.run &&
	       !w->cached.flush;
}

/*
 * --cache check: walks in full, and the sample goes by that. If the cache was of use, the node that it led
 * to, in s->tree.node, has to be the same. A native part that was not loaded yet may be there by now, so such
 * a sample is not compared. Nor is one whose full walk could not read a code object. After a fork the kernel
 * takes a page away for the moment in which it is copied, and a tick can come then. The cache has the names
 * from before, which the full walk cannot have. Returns the final outcome.
 */
static __always_inline enum outcome check_cached(struct scratch *s, struct cpu_stats *count,
						 const enum event_kind kind, struct thread *t,
						 const struct layout *l, __u32 root, int cached)
{
	const __u32 node = s->tree.node, end = s->unwind.end;
	enum outcome outcome = walk_thread(s, l);

	code_read_anew(s);
	outcome = add_plain(s, count, t, l, root, outcome);
	if (cached && outcome != OUTCOME_OVER_BUDGET && s->tree.node && s->tree.node != node &&
	    (opt_native != NATIVE_MODE_FULL || end != NATIVE_NOT_LOADED)) {
		if (s->code.unread)
			count->cache_unread++;
		else
			count->cache_mismatch++;
	}
	return count_node(s, count, kind, root, outcome);
}

#endif
