/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - one event: which process, which thread, its stack, and the node of the tree that it leads to.
 * Every path ends in exactly one outcome.
 */
#ifndef PYPERF_BPF_SAMPLE_SAMPLER_H
#define PYPERF_BPF_SAMPLE_SAMPLER_H

#include "bpf/base/buckets.h"
#include "bpf/python/state.h"
#include "bpf/python/trace.h"
#include "bpf/sample/cost.h"
#include "bpf/sample/end.h"
#include "bpf/sample/process.h"
#include "bpf/stack/stack.h"
#include "bpf/tree/quota.h"

/*
 * What a sample has ended with, if all that it has read is of one moment. The thread is stopped while BPF
 * programs look at it, so it is. Whoever looks from outside has to find out (user/hosted/sample.c).
 */
#ifndef sample_of_one_moment
#define sample_of_one_moment(s, count, kind, t, l, outcome) (outcome)
#endif

/* The event of a thread whose process is a Python, or one without a layout. now is in jiffies. */
static __always_inline enum outcome sample_thread(struct scratch *s, struct cpu_stats *count,
						  const enum event_kind kind, struct task_struct *task,
						  struct thread *t, struct process *p, const struct layout *l,
						  __u64 now)
{
	__u32 root = tree_root(count, s->tree.bank, t, kind, task, p->id, now,
			       s->quota.no_owner);
	const int with_states = opt_states && event_is_tick(kind);
	enum outcome outcome;
	int cached = 0;

	s->tree.home = node_home(root);
	if (opt_native)
		native_goal(s, UNWIND_ALL);
	if (opt_programs && p->state == PROCESS_PROGRAM) {
		if (opt_native == NATIVE_MODE_FULL && opt_cache != CACHE_OFF)
			s->unwind.merge.slot = native_cache_slot(t);
		return count_program(s, count, kind, root);
	}
	if (p->state == PROCESS_NO_LAYOUT)
		return count_plain(s, count, kind, t, l, root, OUTCOME_NO_LAYOUT);
	if (process_begins(p, now))
		t->misses = 0;
	if (!p->runtime || !tstate_find(s, count, t, p, l, now))
		return count_plain(s, count, kind, t, l, root,
				   t->is_of_c && !process_begins(p, now) ? OUTCOME_C_THREAD :
									   OUTCOME_NO_THREAD_STATE);
	if (opt_native)
		native_goal_python(s, l, tstate_field(s, l->tstate_frame));
	read_epoch(s, p, l, with_states);
	if (opt_async)
		task_read(s, count, l, t->tstate, event_is_tick(kind));
	if (opt_contexts && event_is_tick(kind))
		context_read(s, count, l, t->tstate);
	if (opt_trace)
		trace_read(s, count, l, t->tstate);
	if (with_states)
		s->attribute[ATTRIBUTE_STATES] = state_of(s, l, t->tstate);
	if (opt_cache != CACHE_OFF && root)
		cached = walk_cached(s, count, t, p, l, root);
	if (opt_cache == CACHE_CHECK)
		return check_cached(s, count, kind, t, l, root, cached);
	if (cached)
		return count_node(s, count, kind, root, OUTCOME_WHOLE);
	outcome = walk_is_truncated(s) ? OUTCOME_TRUNCATED : walk_thread(s, l);
	count->frames += s->walk.python;
	return count_plain(s, count, kind, t, l, root, outcome);
}

/* Each group of the scratch forgets the sample before. A new group has its line here. */
static __always_inline void sample_begin(struct scratch *s, struct cpu_stats *count,
					 const enum event_kind kind, struct task_struct *task,
					 const struct process *p)
{
	tree_begin(s);
	attributes_begin(s);
	await_begin(s);
	process_begin(s, p);
	code_begin(s);
	self_begin(s, task);
	reads_begin(&s->walk);
	walk_forget(&s->walk, opt_max_depth, opt_single_reads);
	budget_begin(&s->walk, event_is_tick(kind) ? opt_patience : opt_patience_wait);
	if (opt_gil && !event_is_tick(kind))
		s->walk.deadline = s->cost.deadline;
	intern_begin(s, 0);
	quota_begin(s, count);
}

/* Takes a sample of this process, and notes what it has found out. */
static __always_inline enum outcome sample_process(struct scratch *s, struct cpu_stats *count,
						   const enum event_kind kind, struct task_struct *task,
						   struct process *p)
{
	__u32 layout_index = p->layout;
	struct layout *l = bpf_map_lookup_elem(&layouts, &layout_index);
	__u64 now = bpf_jiffies64();
	enum outcome outcome;
	struct thread *t;

	if (!l)
		return OUTCOME_NEW_PROCESS;
	sample_begin(s, count, kind, task, p);
	t = thread_get(s, thread_key(task, kind), task->start_boottime, now);
	outcome = sample_thread(s, count, kind, task, t, p, l, now);
	outcome = sample_of_one_moment(s, count, kind, t, l, outcome);
	thread_put(t);
	quota_end(s, count);
	if (s->code.unsettled & ~UNSETTLED_YOUNG || s->code.no_epoch || !p->unsettled || s->who.learned)
		process_note(s, task->tgid, bpf_jiffies64());
	reads_end(&s->walk, count);
	return outcome;
}

/*
 * Finds out whose event it is, and takes the sample. If that belongs into the profile, s->tree.node is then
 * the node that counts it.
 */
static __always_inline enum outcome sample_task(struct scratch *s, struct cpu_stats *count,
						const enum event_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = task->tgid;
	struct process *p;
	int wanted;

	if (opt_trace)
		trace_begin(s);
	if (!task->mm && !task->pid)
		return OUTCOME_IDLE;
	if (!task->mm)
		return opt_all ? OUTCOME_NOT_PYTHON : OUTCOME_NOT_SELECTED;
	p = process_find(s, task, tgid, &wanted);
	if (!p) {
		if (!wanted)
			return OUTCOME_NOT_SELECTED;
		if (tgid != opt_self)
			notice_send(count, task, tgid, 0);
		return tgid == opt_self ? OUTCOME_NOT_PYTHON : OUTCOME_NEW_PROCESS;
	}
	if (p->state != PROCESS_PYTHON)
		process_ask(count, task, p);
	switch (p->state) {
	case PROCESS_PYTHON:
	case PROCESS_NO_LAYOUT:
	case PROCESS_PROGRAM:
		if (!thread_is_selected(task))
			return OUTCOME_NOT_SELECTED;
		return sample_process(s, count, kind, task, p);
	case PROCESS_NOT_PYTHON:
		return OUTCOME_NOT_PYTHON;
	case PROCESS_FORBIDDEN: /* only ticks have an outcome for that */
		return event_is_tick(kind) ? OUTCOME_FORBIDDEN : OUTCOME_NOT_PYTHON;
	case PROCESS_EXCLUDED:
		return OUTCOME_NOT_SELECTED;
	}
	return OUTCOME_NEW_PROCESS;
}

/* Adds a run of the sampler to the histogram of its durations. */
static __always_inline void count_time(struct cpu_stats *count, __u64 ns)
{
	__u32 bucket = time_bucket(ns);

	count->time_sum += ns;
	mem_opaque(bucket);
	if (bucket < TIME_BUCKETS)
		count->times[bucket]++;
	if (ns > count->time_max)
		count->time_max = ns;
}

/* For how many ticks this one stands; 0: another one stands for it. */
static __always_inline __u32 tick_turn(struct scratch *s, struct cpu_stats *count, __u64 now)
{
	const __u32 weight = turns_next(&s->cost.turns, cost_level(&s->cost.ticks, now, rates.tick_levels));

	count->ticks_thinned += !weight;
	return weight;
}

/* One event on this CPU, in the current task. */
static __always_inline void sample(const enum event_kind kind, __u64 amount)
{
	const __u64 begin = opt_measure || opt_budget || opt_log ? bpf_ktime_get_ns() : 0;
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	__u32 outcome;

	if (!s || !count)
		return;
	if (opt_budget && event_is_tick(kind)) {
		amount *= tick_turn(s, count, begin);
		if (!amount)
			return;
	}
	/*
	 * When the sampler interrupts itself, the inner run ends before the outer one goes on. So plain
	 * accesses keep the inner one out, and all counters but these are only touched by the run that has
	 * the CPU's scratch.
	 */
	if (s->busy) {
		sample_end(count, kind, 0, OUTCOME_NESTED, amount);
		return;
	}
	s->busy = 1;
	barrier();
	outcome = sample_task(s, count, kind);
	sample_end_at(count, kind, s->tree.node, outcome, amount, begin, 0, &s->trace.ids);
	if (opt_loop && event_is_tick(kind)) {
		s->tick.outcome = outcome;
		s->tick.amount = amount;
	}
	if (opt_budget)
		cost_charge(s, count, kind, begin);
	if (opt_measure)
		count_time(count, bpf_ktime_get_ns() - begin);
	barrier();
	s->busy = 0;
}

static __always_inline void sample_tick(void)
{
	sample(EVENT_CPU, 1);
}

#endif
