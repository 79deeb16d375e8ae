/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - one tick: which process, which thread, its frames, the node they lead to, one more sample on
 * that node. Every path ends in exactly one outcome.
 */
#ifndef PYPERF_SAMPLER_H
#define PYPERF_SAMPLER_H

#include "maps.h"
#include "tree.h"
#include "thread.h"
#include "code.h"

#define SETTLED 2048	/* jiffies without a new code object before cached callers are trusted without a generation */
#define NOTICE_PAUSE 20 /* ms between two reports of one process */

static __always_inline void notice_send(struct cpu_stats *stats, struct task_struct *task, __u32 tgid)
{
	__u32 slot = (__u32)mix(tgid) & (NOTICES - 1), ms = bpf_ktime_get_ns() >> 20;
	__u64 *last = bpf_map_lookup_elem(&notices, &slot);
	struct event_process e = {
		.type = EVENT_PROCESS,
		.pid = tgid,
		.start_time = task->group_leader->start_boottime,
		.exec_id = task->self_exec_id,
	};

	if (!last || (*last >> 32 == tgid && ms - (__u32)*last < NOTICE_PAUSE))
		return;
	*last = (__u64)tgid << 32 | ms;
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), task->group_leader->comm);
	if (bpf_ringbuf_output(&events, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		stats->ring_full++;
	else
		stats->notices++;
}

struct intern_context {
	struct scratch *s;
	struct cpu_stats *stats;
	struct thread *t;
	const struct layout *l;
};

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
			/* prev_instr (3.11, 3.12) is a unit before the bytecode when a frame has not begun. */
			offset = f->instr - f->code - l->code_bytecode + 2;
			if (offset < 2 * INSTR_UNKNOWN)
				instr = offset / 2;
			s->node = node_intern(c->stats, s->home, s->node, index, instr);
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
		s->node = node_add(stats, root, outcome);
	}
	if (s->node) {
		node_count(s->node);
		return outcome;
	}
	node_count(root ? node_add(stats, root, OUTCOME_TABLE_FULL) : 0); /* node 0: no room for the marker either */
	return OUTCOME_TABLE_FULL;
}

/* Adds and counts what was walked without the cache, marked by what became of it. */
static __always_inline enum outcome count_plain(struct scratch *s, struct cpu_stats *stats, struct thread *t,
						const struct layout *l, __u32 root, enum outcome outcome)
{
	s->remember = 0;
	s->node = root;
	if (root && outcome != OUTCOME_WHOLE)
		s->node = node_add(stats, root, outcome);
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

static __always_inline __u64 thread_base(const struct scratch *s, const struct layout *l)
{
	return l->root_rule == ROOT_BASE ? tstate_field(s, l->tstate_base_frame) : 0;
}

/* Walks from the thread state in s->tstate and says what came of it. */
static __always_inline enum outcome walk_thread(struct scratch *s, const struct layout *l)
{
	struct walk *w = &s->walk;
	__u64 frame = thread_frame(s, l), chunk = tstate_field(s, l->tstate_chunk), base = thread_base(s, l), older;

	walk_from(w, l, frame, chunk);
	if (walk_is_whole(w, l, base) && frame)
		return OUTCOME_WHOLE;
	/*
	 * _PyEval_EvalFrameDefault() of 3.11 and 3.12 links its CFrame before it fills it in. The one before it
	 * then still tells the truth.
	 */
	older = l->has_cframe && w->end != WALK_DEEP ? cframe_word(s, l->cframe_previous) : 0;
	if (mem_plausible(older)) {
		older = search_read(s, older + l->cframe_frame);
		walk_from(w, l, older, chunk);
		if (walk_is_whole(w, l, base) && older)
			return OUTCOME_WHOLE;
		if (w->end != WALK_DEEP) /* a frame of the newer one is not resident: show what leads there */
			walk_from(w, l, frame, chunk);
	}
	if (w->end == WALK_DEEP)
		return OUTCOME_TRUNCATED;
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
	s->epoch = mix(interp ^ generation << 48 ^ generation) | 1;
}

/* Forgets the cached stack when it is not of this thread state, code generation or tree. */
static __always_inline void cache_prepare(struct scratch *s, struct cpu_stats *stats, struct thread *t,
					  const struct process *p)
{
	/*
	 * Without a generation only the fingerprints of new frames tell that addresses are used again. A process
	 * that makes and frees code objects keeps showing new ones, and is then read in full.
	 */
	const int unsettled = !s->epoch && (!p->unsettled || t->used - p->unsettled < SETTLED);

	struct cache *k = &t->cache;

	if (k->depth && (k->tstate != t->tstate || k->epoch != s->epoch || k->root != t->root || unsettled)) {
		k->depth = 0;
		stats->cache_dropped++;
	}
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
	walk_begin(w, frame, tstate_field(s, l->tstate_chunk));
	cache_run(w, &t->cache, l);
	if (w->run)
		c = cache_at(&t->cache, w->run - 1);
	if (!walk_is_whole(w, l, base) || (c && c->python + w->python > w->max_depth)) {
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
		s->node = node_add(stats, root, outcome);
	intern_stack(s, stats, t, l);
	if (cached && s->node && s->node != node)
		stats->cache_mismatch++;
	return count_node(s, stats, root, outcome);
}

static __always_inline enum outcome sample_thread(struct scratch *s, struct cpu_stats *stats,
						  struct task_struct *task, struct thread *t, struct process *p,
						  const struct layout *l, __u64 now)
{
	__u32 root = tree_root(stats, t, task, p->id, now);
	enum outcome outcome = OUTCOME_NO_THREAD_STATE;
	int cached = 0;

	s->walk.depth = 0;
	s->home = node_home(root);
	if (p->state == PROCESS_NO_LAYOUT)
		return count_plain(s, stats, t, l, root, OUTCOME_NO_LAYOUT);
	if (!tstate_find(s, stats, t, p, l, now))
		return count_plain(s, stats, t, l, root, outcome);
	read_epoch(s, p, l);
	if (opt_cache != CACHE_OFF && root)
		cached = walk_cached(s, stats, t, p, l, root);
	if (opt_cache == CACHE_CHECK)
		return check_cached(s, stats, t, l, root, cached);
	if (cached)
		return count_node(s, stats, root, OUTCOME_WHOLE);
	outcome = walk_thread(s, l);
	stats->frames += s->walk.python;
	return count_plain(s, stats, t, l, root, outcome);
}

/* This CPU's copy of what is known of a process, taken again when anything about any process has changed. */
static __always_inline struct process *process_copy(struct scratch *s, __u32 tgid)
{
	const __u64 stamp = *(volatile __u64 *)&processes_stamp; /* read first: a change during the copy undoes it */
	const struct process *p;

	if (s->known_tgid == tgid && s->known_stamp == stamp)
		return &s->known;
	p = bpf_map_lookup_elem(&processes, &tgid);
	s->known_tgid = 0;
	if (!p)
		return NULL;
	s->known = *p;
	s->known_tgid = tgid;
	s->known_stamp = stamp;
	return &s->known;
}

/* Writes back what this sample has found out about its process. */
static __always_inline void process_note(const struct scratch *s, __u32 tgid, __u64 now)
{
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	if (!p || p->id != s->known.id)
		return;
	p->no_generation |= s->no_generation;
	p->unsettled = now;
	__sync_fetch_and_add(&processes_stamp, 1);
}

static __always_inline enum outcome sample_process(struct scratch *s, struct cpu_stats *stats,
						   struct task_struct *task, struct process *p)
{
	__u32 layout_index = p->layout;
	struct layout *l = bpf_map_lookup_elem(&layouts, &layout_index);
	__u64 now = bpf_jiffies64();
	enum outcome outcome;
	struct thread *t;

	if (!l)
		return OUTCOME_NEW_PROCESS;
	s->process = p->id;
	s->captures = 0;
	s->unsettled = s->no_generation = 0;
	s->thread_pointer = task_thread_pointer(task);
	s->walk.reads = s->walk.read_bytes = s->walk.faults = 0;
	s->walk.single = opt_single_reads;
	s->walk.max_depth = opt_max_depth;
	t = thread_get(s, task->pid, task->start_boottime, now);
	outcome = sample_thread(s, stats, task, t, p, l, now);
	thread_put(t);
	if (s->unsettled || s->no_generation || !p->unsettled)
		process_note(s, task->tgid, now);
	stats->reads += s->walk.reads;
	stats->read_bytes += s->walk.read_bytes;
	stats->read_faults += s->walk.faults;
	return outcome;
}

/*
 * What is known of the current task's process image. After an exec it is nothing, but a selected process stays
 * selected: *wanted then says to ask about it.
 */
static __always_inline struct process *process_find(struct scratch *s, struct task_struct *task, __u32 tgid,
						    int *wanted)
{
	struct process *p = process_copy(s, tgid);

	*wanted = opt_all;
	if (!p || p->start_time != task->group_leader->start_boottime)
		return NULL;
	if (p->exec_id == task->self_exec_id)
		return p;
	*wanted = 1;
	return NULL;
}

static __always_inline enum outcome sample_task(struct scratch *s, struct cpu_stats *stats)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = task->tgid;
	struct process *p;
	int wanted;

	if (!task->mm)
		return opt_all ? OUTCOME_NOT_PYTHON : OUTCOME_NOT_SELECTED;
	p = process_find(s, task, tgid, &wanted);
	if (!p) {
		if (!wanted)
			return OUTCOME_NOT_SELECTED;
		if (tgid != opt_self)
			notice_send(stats, task, tgid);
		return tgid == opt_self ? OUTCOME_NOT_PYTHON : OUTCOME_NEW_PROCESS;
	}
	switch (p->state) {
	case PROCESS_PYTHON:
	case PROCESS_NO_LAYOUT:
		return sample_process(s, stats, task, p);
	case PROCESS_NOT_PYTHON:
		if (p->check_after && bpf_ktime_get_ns() > p->check_after)
			notice_send(stats, task, tgid);
		return OUTCOME_NOT_PYTHON;
	}
	notice_send(stats, task, tgid);
	return OUTCOME_NEW_PROCESS;
}

static __always_inline void count_time(struct cpu_stats *count, __u64 ns)
{
	__u32 bucket = time_bucket(ns);

	mem_opaque(bucket);
	if (bucket < TIME_BUCKETS)
		count->times[bucket]++;
	if (ns > count->time_max)
		count->time_max = ns;
}

/* One tick on this CPU. */
static __always_inline void sample(void)
{
	const __u64 begin = opt_measure ? bpf_ktime_get_ns() : 0;
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	__u32 outcome;

	if (!s || !count)
		return;
	/*
	 * An interrupt of the sampler by itself ends before the sampler goes on, so plain accesses keep it out,
	 * and all counters but this one are only touched by whoever holds the CPU's scratch.
	 */
	if (s->busy) {
		__sync_fetch_and_add(&count->outcome[OUTCOME_NESTED], 1);
		return;
	}
	s->busy = 1;
	barrier();
	count->ticks++;
	outcome = sample_task(s, count);
	mem_opaque(outcome);
	if (outcome < OUTCOME_COUNT)
		count->outcome[outcome]++;
	if (opt_measure)
		count_time(count, bpf_ktime_get_ns() - begin);
	barrier();
	s->busy = 0;
}

#endif
