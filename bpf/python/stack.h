/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.h - the current thread's stack, from its thread state to a node of the call tree: with the thread's
 * last stack or without, whole or marked.
 */
#ifndef PYPERF_BPF_PYTHON_STACK_H
#define PYPERF_BPF_PYTHON_STACK_H

#include "bpf/maps.h"
#include "bpf/python/code.h"
#include "bpf/python/thread.h"
#include "bpf/tree/tree.h"

#define SETTLED 2048 /* jiffies without a new code object before cached callers are trusted without a generation */

struct intern_context {
	struct scratch *s;
	struct cpu_stats *stats;
	struct thread *t;
	const struct layout *l;
};

#define TLBC_MAX 65536 /* copies of one bytecode: threads that ran it */

/*
 * Where the bytecode starts that a frame runs. Free-threaded 3.14+ gives each thread a copy: entries[tlbc_index] of
 * co_tlbc, of which the first is co_code_adaptive (internal/pycore_code.h). 0 if that cannot be told.
 */
static __noinline __u64 bytecode_of_thread(struct scratch *s, const struct layout *l, struct frame *f)
{
	__u64 own, units, table, count, start;
	__s32 index = 0;

	if (!s || !l || !f)
		return 0;
	own = f->code + l->code_bytecode;
	units = search_read(s, f->code + l->code_count);
	if (f->instr - own + 2 < 2 * units + 2)
		return own;
	if (walk_read(&s->walk, &index, sizeof(index), (f->address & ~(__u64)FRAME_SINGLE) + l->frame_tlbc_index))
		return 0;
	table = search_read(s, f->code + l->code_tlbc);
	count = mem_plausible(table) ? search_read(s, table) : 0;
	if (index < 0 || (__u32)index >= count || index >= TLBC_MAX)
		return 0;
	start = search_read(s, table + 8 + 8 * (__u64)index);
	return f->instr - start < 2 * units ? start : 0;
}

/* Bytes from the start of the bytecode to a frame's instruction, plus 2; in 2.7 twice as many. Large if it cannot be told. */
static __always_inline __u64 instr_offset(struct scratch *s, const struct layout *l, struct frame *f)
{
	__u64 start = f->code + l->code_bytecode;

	if (l->frame_lasti)
		return ((__s64)(__s32)f->instr << (l->lasti_shift & 1)) + 2;
	if (l->code_tlbc)
		start = bytecode_of_thread(s, l, f);
	/* prev_instr (3.11, 3.12) is a unit before the bytecode when a frame has not begun. */
	return f->instr - start + 2;
}

/* One frame of s->walk, from the root side to the leaf; 1 when a table is full. */
static long intern_callback(__u32 i, struct intern_context *c)
{
	struct scratch *s = c->s;
	const struct layout *l = c->l;
	__u32 at = s->walk.depth - 1 - i, index = 0, instr = INSTR_UNKNOWN;
	struct frame *f;
	__u64 offset;
	int state;

	mem_opaque(at);
	if (at >= DEPTH_LIMIT)
		return 1;
	f = &s->walk.frames[at];
	if (f->code) {
		state = code_intern(s, c->stats, c->t, l, f->code, &index);
		if (state < 0) {
			s->node = 0;
			return 1;
		}
		/* Its names are not sent yet: it, and what stands on it, must be met again. */
		if (!state)
			s->remember = 0;
		if (!(state & CODE_SHIM)) {
			offset = instr_offset(s, l, f);
			if (offset < 2 * INSTR_UNKNOWN)
				instr = offset / 2;
			s->node = node_intern(c->stats, s->bank, s->home, s->node, index, instr);
			if (!s->node)
				return 1;
		}
	}
	if (s->remember) {
		cache_remember(&c->t->cache, s->walk.run + i, f, s->node);
		s->kept = i + 1;
	}
	return 0;
}

/*
 * Adds the stack in s->walk to the tree, below s->node. Leaves the leaf's node there, 0 when a table is full.
 */
__noinline int intern_stack(struct scratch *s, struct cpu_stats *stats, struct thread *t, const struct layout *l)
{
	struct intern_context c = { s, stats, t, l };

	if (!s || !stats || !t || !l)
		return -1;
	if (s->node && s->walk.depth)
		bpf_loop(s->walk.depth, intern_callback, &c, 0);
	return 0;
}

/* Counts the node reached, or the lack of room for it. Returns the final outcome. */
static __always_inline enum outcome count_node(struct scratch *s, struct cpu_stats *stats, __u32 root,
					       enum outcome outcome)
{
	if (root && s->node == root) { /* nothing but frames of the interpreter's own */
		outcome = OUTCOME_NO_FRAMES;
		s->node = node_add(stats, s->bank, root, outcome);
	}
	if (s->node) {
		node_count(s->node);
		return outcome;
	}
	node_count(root ? node_add(stats, s->bank, root, OUTCOME_TABLE_FULL) : 0); /* node 0: no room for the marker either */
	return OUTCOME_TABLE_FULL;
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

static __always_inline __u64 cframe_word(const struct scratch *s, __u32 offset)
{
	return s->cframe[offset >> 3 & 3];
}

#define UNREADABLE_FRAME 1 /* no walk begins at such an address */

/* The leaf frame, by way of the CFrame where there is one; 0 if there is none, implausible if it cannot be read. */
static __always_inline __u64 thread_frame(struct scratch *s, const struct layout *l)
{
	__u64 frame = tstate_field(s, l->tstate_frame);

	if (!l->has_cframe)
		return frame;
	s->cframe[0] = s->cframe[1] = s->cframe[2] = 0;
	if (!mem_plausible(frame))
		return frame;
	if (walk_read(&s->walk, s->cframe, sizeof(s->cframe), frame))
		return UNREADABLE_FRAME;
	return cframe_word(s, l->cframe_frame);
}

/* The data-stack chunk; frames that are objects (up to 3.10) have none. */
static __always_inline __u64 thread_chunk(const struct scratch *s, const struct layout *l)
{
	return l->tstate_chunk ? tstate_field(s, l->tstate_chunk) : 0;
}

static __always_inline __u64 thread_base(const struct scratch *s, const struct layout *l)
{
	return l->root_rule == ROOT_BASE ? tstate_field(s, l->tstate_base_frame) : 0;
}

/* 3.11, 3.12: the frame in the CFrame before, which calls into the newest activation; no address if unknown. */
static __always_inline __u64 thread_caller(struct scratch *s, const struct layout *l)
{
	__u64 older = l->has_cframe ? cframe_word(s, l->cframe_previous) : 0, frame;

	if (!mem_plausible(older) || walk_read(&s->walk, &frame, sizeof(frame), older + l->cframe_frame))
		return ~0ULL;
	return frame;
}

#define CFRAME_NEAR 1024 /* bytes between the CFrame and the entry frame of one activation of the interpreter's loop */

/*
 * 3.12: whether the leaf lies beside its own CFrame, but was not known as the entry frame there: it does not say so
 * yet, and its link is that of the last one that was there.
 */
static __always_inline int leaf_is_entry(const struct scratch *s, const struct layout *l)
{
	const struct walk *w = &s->walk;
	const __u64 leaf = cframe_word(s, l->cframe_frame), cframe = tstate_field(s, l->tstate_frame);

	return l->root_rule == ROOT_SHIM && leaf - cframe + CFRAME_NEAR < 2 * CFRAME_NEAR && w->depth &&
	       w->frames[0].code && (w->frames[0].address & ~(__u64)FRAME_SINGLE) == leaf;
}

/*
 * 3.11, 3.12: whether the leaf is a frame that is gone, of which a CFrame that is not filled in yet may still tell.
 * struct _ts: datastack_chunk, datastack_top, datastack_limit.
 */
static __always_inline int leaf_is_gone(const struct scratch *s, const struct layout *l)
{
	const __u64 top = tstate_field(s, l->tstate_chunk + 8), limit = tstate_field(s, l->tstate_chunk + 16);

	return cframe_word(s, l->cframe_frame) - top < limit - top;
}

#define TSTATE_NEAR 1024 /* bytes, of which PyThreadState takes up some 400 */

/*
 * 3.11, 3.12: what called the first frame of all is NULL, in the CFrame that is part of the thread state. There is a
 * NULL in many other places to which a CFrame that is not filled in may point.
 */
static __always_inline int caller_is_root(const struct scratch *s, const struct layout *l, const struct cache *k)
{
	return cframe_word(s, l->cframe_previous) - k->tstate < TSTATE_NEAR;
}

/*
 * Whether the chain is whole. _PyEval_EvalFrameDefault() of 3.11 and 3.12 may name a frame in its CFrame before it
 * has linked it to its caller: there stands NULL then, as if it were the root, or what was there before. So the
 * newest entry on the way must be the one that was called by the frame in the CFrame before.
 */
static __always_inline int thread_is_whole(struct scratch *s, const struct layout *l, struct cache *k, __u64 base)
{
	const struct walk *w = &s->walk;

	if (!walk_is_whole(w, l, base))
		return 0;
	if (!l->has_cframe)
		return 1;
	if (w->strange || leaf_is_entry(s, l) || leaf_is_gone(s, l))
		return 0;
	if (w->entered || !k || !w->run)
		return w->entered;
	return w->caller ? cache_has(k, w->run - 1, w->caller) : caller_is_root(s, l, k);
}

/*
 * 3.11, 3.12: the frame in the CFrame before, as far as a whole stack. The interpreter's loop was entered from there,
 * but what it runs is not known: all of it is lost when the loop is about to call or to suspend by itself.
 */
static __always_inline int walk_callers(struct scratch *s, const struct layout *l, __u64 chunk)
{
	struct walk *w = &s->walk;
	__u64 frame = w->caller;

	if (!mem_plausible(frame))
		return 0;
	walk_from(w, l, frame, chunk);
	return walk_is_whole(w, l, 0);
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

/*
 * The count of what would make an address name another code object: of code objects freed in 3.14+
 * (_code_object_generation), of those made in 3.13 (func_state.next_version, which stays 0 when it overflows).
 */
static __always_inline void read_epoch(struct scratch *s, const struct process *p, const struct layout *l)
{
	__u64 interp = tstate_field(s, l->tstate_interp), generation = 0;

	s->epoch = s->made = 0;
	if (!l->generation_size || p->no_generation || !mem_plausible(interp))
		return;
	if (walk_read(&s->walk, &generation, sizeof(generation), interp + l->interp_generation))
		return;
	if (l->generation_size == 4) {
		generation &= 0xffffffff;
		s->made = generation;
		if (!generation)
			return;
	}
	if (l->interp_tlbc_generation)
		generation ^= search_read(s, interp + l->interp_tlbc_generation) << 32;
	s->epoch = mix(interp ^ generation << 48 ^ generation ^ (__u64)s->generation << 24) | 1;
}

/* Forgets the cached stack when it is not of this thread state, code generation or tree. */
static __always_inline void cache_prepare(struct scratch *s, struct cpu_stats *stats, struct thread *t,
					  const struct process *p)
{
	/*
	 * Without a generation only the fingerprints of new frames tell that addresses are used again. A process
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
