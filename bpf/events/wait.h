/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait.h - what is remembered of a thread that waits: since when, and the nodes of the tree that its stack
 * led to when it gave up the CPU. A sleeping thread cannot move, so whoever sees the wait go on only adds
 * nanoseconds to a node.
 *
 * Several may do that at once: the thread's wake-up, its return to a CPU, and user space at the end of an
 * interval (settle). All go by one word, `since`: who moves it on counts the time that it moved over, by the
 * stack that the word names. So a wait that goes on can be given another stack (outside_stack.h).
 */
#ifndef PYPERF_BPF_EVENTS_WAIT_H
#define PYPERF_BPF_EVENTS_WAIT_H

#include "bpf/data/maps.h"
#include "bpf/sample/end.h"
#include "bpf/tree/quota.h"
#include "bpf/tree/tree.h"

/*
 * wait.since: CLOCK_MONOTONIC in ns, shifted; which of wait.stack counts; and whether the thread is queued
 * for a CPU. 0 = it runs.
 */
#define SINCE_QUEUED	   1
#define SINCE_WRITER_SHIFT 1
#define SINCE_WRITER	   (3 << SINCE_WRITER_SHIFT)
#define SINCE_SHIFT	   3

static __always_inline __u64 since_make(__u64 ns, enum wait_writer writer, int queued)
{
	return ns << SINCE_SHIFT | writer << SINCE_WRITER_SHIFT | (queued ? SINCE_QUEUED : 0);
}

/* An enum wait_writer. */
static __always_inline __u32 since_writer(__u64 since)
{
	return (since & SINCE_WRITER) >> SINCE_WRITER_SHIFT;
}

/* The kind of event of this part of a wait. */
static __always_inline enum event_kind wait_event(const enum wait_part part)
{
	return part == WAIT_QUEUED ? EVENT_RUNQUEUE : part == WAIT_WANTS_GIL ? EVENT_GIL : EVENT_OFFCPU;
}

/*
 * The kind of event of a thread that leaves its CPU of its own will. As arithmetic: after a branch the
 * verifier would look at all of the sampler twice.
 */
static __always_inline enum event_kind wait_kind(__u32 for_gil)
{
	return EVENT_OFFCPU + (opt_gil & for_gil & 1) * (EVENT_GIL - EVENT_OFFCPU);
}

/* The node for this cause, above a node that is not reserved. 0 when there is no room. */
static __always_inline __u32 wait_cause(struct cpu_stats *count, __u32 bank, __u32 node,
					enum wait_cause cause)
{
	return node >= EVENT_KINDS ? node_add(count, bank, node, CODE_WAITS + cause) : 0;
}

/* The root of the kind of a thread other than the current one, or of its process; 0 when there is no room. */
static __always_inline __u32 root_of_other(struct cpu_stats *count, __u32 bank, enum event_kind kind,
					   __u32 process, __u32 tid, __u64 began, const char *comm)
{
	const int by_thread = quota_own_root(bank);
	struct owner *o;
	__u32 index;

	tid = by_thread ? tid : 0;
	began = tid ? began : 0;
	index = owner_intern(count, bank, owner_key_of(kind, process, tid, began), process, tid);
	if (!index--)
		return 0;
	o = bpf_map_lookup_elem(&owners, &index);
	if (!o)
		return 0;
	o->began = began;
	if (by_thread || !o->comm[0])
		__builtin_memcpy(o->comm, comm, sizeof(o->comm));
	return node_add(count, bank, 0, index);
}

/* The node of a marker in place of the thread's stack; 0 when there is no room. */
__noinline __u32 wait_marker(struct cpu_stats *count, struct wait *w, enum wait_part part, __u32 marker)
{
	const __u32 bank = bank_of(*(volatile __u32 *)&tree_generation);
	__u32 node;

	if (!count || !w)
		return 0;
	node = root_of_other(count, bank, wait_event(part == WAIT_QUEUED ? WAIT_ASLEEP : part), w->process,
			     w->tid, w->began, w->comm);
	node = node ? node_add(count, bank, node, marker) : 0;
	return part == WAIT_QUEUED ? wait_cause(count, bank, node, WAIT_WOKEN) : node;
}

/* Counts ns below a marker. */
static __always_inline void wait_mark(struct cpu_stats *count, struct wait *w, const enum wait_part part,
				      enum outcome outcome, __u64 ns)
{
	const enum event_kind kind = wait_event(part);
	__u32 node = wait_marker(count, w, part, outcome);

	sample_end(count, kind, node ?: kind, node ? outcome : OUTCOME_TABLE_FULL, ns);
}

/*
 * When a thread mostly waits for a short time, or stacks cost more than --budget, only some of its stacks are
 * taken. Chance decides that before it waits. A wait that proves long and has a stack stands for `weight`
 * waits, so it claims the time of weight - 1 others as long as itself. Claims are paid out of the time of
 * waits without a stack: at once as far as there is such time, else when it comes. So never more time is
 * shown than has passed. What nobody has claimed when an interval ends has a marker.
 *
 * By chance there is more time than is claimed, or less. So claims are larger when more time is left than a
 * few of them take, and smaller when it is less, whoever claims. Most are paid at once then. When several are
 * to be paid later, one gets all, and chance chooses it by how much each is short of.
 */
#define HEIR_OUTCOME_SHIFT    24
#define HEIR_GENERATION_SHIFT 32
#define CLAIM_OVER	      3 /* claims that their average is over, as a shift */
#define CLAIM_USUAL	      6 /* eighths of what is claimed, when no time is left, ... */
#define CLAIM_LEAST	      1 /* ... and at least, */
#define CLAIM_MOST	      16 /* ... at most */

_Static_assert(NODE_BITS <= HEIR_OUTCOME_SHIFT, "a node leaves room for the outcome");

static __always_inline __u64 heir_make(__u32 generation, __u32 outcome, __u32 node)
{
	return (__u64)generation << HEIR_GENERATION_SHIFT | outcome << HEIR_OUTCOME_SHIFT | node;
}

/* The interval is over, or the entry is: what is left has a marker. What is owed still is. */
static __always_inline void wait_flush(struct wait *w)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (!count)
		return;
	for (int part = 0; part < WAIT_PARTS; part++) {
		__s64 *balance = &w->shares[part].balance, ns = *(volatile __s64 *)balance;

		if (ns > 0 && __sync_val_compare_and_swap(balance, ns, 0) == ns)
			wait_mark(count, w, part, OUTCOME_UNSEEN, ns);
	}
}

/* A wait without a stack took ns. What has been claimed of that already goes to who is to have it. */
static __always_inline void wait_unseen(struct cpu_stats *count, struct wait *w, const enum wait_part part,
					__u64 ns)
{
	const __s64 before = __sync_fetch_and_add(&w->shares[part].balance, ns);
	const __u64 claimed = before < 0 ? (__u64)-before : 0;
	const __u64 heir = *(volatile __u64 *)&w->shares[part].heir;

	if (!claimed)
		return;
	ns = ns < claimed ? ns : claimed;
	if (heir >> HEIR_GENERATION_SHIFT == *(volatile __u32 *)&tree_generation)
		sample_end(count, wait_event(part), heir & ((1 << HEIR_OUTCOME_SHIFT) - 1),
			   heir >> HEIR_OUTCOME_SHIFT & 0xff, ns);
	else
		wait_mark(count, w, part, OUTCOME_RENEWED, ns);
}

/* What becomes of a claim when so much time is left, or owed already. */
static __always_inline __u64 wait_claim_of(const struct wait_shares *p, __u64 claim)
{
	const __u64 average = p->claim ?: claim + 1;
	const __s64 balance = *(volatile __s64 *)&p->balance;
	__u64 times = (balance < 0 ? (__u64)-balance : (__u64)balance) / average;
	__u64 eighths;

	if (balance < 0)
		eighths = times < CLAIM_USUAL - CLAIM_LEAST ? CLAIM_USUAL - times : CLAIM_LEAST;
	else
		eighths = times < CLAIM_MOST - CLAIM_USUAL ? CLAIM_USUAL + times : CLAIM_MOST;
	return claim * eighths / 8;
}

/* A wait that stands for others claims ns. Returns how much of that it gets at once. */
static __always_inline __u64 wait_claim(struct wait_shares *p, __u64 heir, __u64 ns)
{
	const __u64 wanted = wait_claim_of(p, ns);
	const __s64 before = __sync_fetch_and_add(&p->balance, -wanted);
	__u64 paid = before > 0 ? before : 0, owed = wanted - before;

	paid = paid < wanted ? paid : wanted;
	/* In units of 1024 ns, so that it can be multiplied. */
	if (paid < wanted && ((owed >> 10) * bpf_get_prandom_u32()) >> 32 <= (wanted - paid) >> 10)
		p->heir = heir;
	p->claim = p->claim ? p->claim - (p->claim >> CLAIM_OVER) + (ns >> CLAIM_OVER) : ns;
	return paid;
}

/* How long a wait has lasted. */
enum wait_length {
	WAIT_IS_SHORT, /* less than --min-wait */
	WAIT_IS_USUAL,
	WAIT_IS_LONG, /* so that it is looked at from outside, if its thread's own stack was not taken */
};

#define WAIT_LONG 1500000000 /* ns: ASLEEP_UNSEEN, and half the time between two lists (asleep.h) */

static __always_inline enum wait_length wait_length(const struct wait *w, __u64 now)
{
	const __s64 ns = now - w->begin;

	if (ns < (__s64)opt_min_wait)
		return WAIT_IS_SHORT;
	return ns < WAIT_LONG ? WAIT_IS_USUAL : WAIT_IS_LONG;
}

/*
 * Counts ns of a wait, up to `now`. An interrupt may do so in the middle of it, so all is atomic; but for the
 * scheduler's tracepoints, with interrupts off, which are `alone`: most of what they count is short.
 */
static __always_inline void wait_count_part(struct wait *w, const struct wait_stack *k,
					    const enum wait_part part, __u64 ns, __u64 now,
					    enum wait_length length, const int alone)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 outcome = part == WAIT_QUEUED ? k->queue_outcome : k->outcome;
	__u32 node = part == WAIT_QUEUED ? k->queue_node : k->node;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (!count)
		return;
	if (length == WAIT_IS_SHORT && alone) {
		sample_end_alone(count, wait_event(part), OUTCOME_SHORT, ns);
	} else if (length == WAIT_IS_SHORT) {
		sample_end(count, wait_event(part), 0, OUTCOME_SHORT, ns);
	} else if (outcome == OUTCOME_UNSEEN) {
		wait_unseen(count, w, part, ns);
	} else if (node && k->generation != *(volatile __u32 *)&tree_generation) {
		wait_mark(count, w, part, OUTCOME_RENEWED, ns);
	} else {
		__u64 claimed = 0;

		if (length == WAIT_IS_USUAL && k->weight > 1 && node)
			claimed = wait_claim(&w->shares[part], heir_make(k->generation, outcome, node),
					     ns * (k->weight - 1));
		sample_end_at(count, wait_event(part), node, outcome, ns + claimed, now, ns, &w->ids);
	}
}

static __always_inline void wait_count(struct wait *w, const struct wait_stack *k, int queued, __u64 ns,
				       __u64 now, enum wait_length length, const int alone)
{
	if (queued)
		wait_count_part(w, k, WAIT_QUEUED, ns, now, length, alone);
	else if (opt_gil && w->for_gil)
		wait_count_part(w, k, WAIT_WANTS_GIL, ns, now, length, alone);
	else if (opt_threads != THREADS_ACTIVE)
		wait_count_part(w, k, WAIT_ASLEEP, ns, now, length, alone);
}

/* What becomes of a wait. */
enum wait_step {
	WAIT_ENDS,    /* the thread is on a CPU again */
	WAIT_QUEUES,  /* it was woken up, and waits for a CPU from now on */
	WAIT_SETTLES, /* it goes on: what has passed is counted, unless the wait may yet prove short */
	WAIT_YIELDS,  /* it goes on, but nothing more will be known of it: its entry is another thread's */
};

#define AVERAGE_OVER 8	  /* waits, of a moving average */
#define SHORT_SHIFT  6 /* log2 of the most waits that one is to stand for as they are short */

/* Learns from a wait that is over. */
static __always_inline void wait_learn(struct wait *w, __u64 now)
{
	const __u64 bound = AVERAGE_OVER * opt_min_wait, most = bound < (__u32)-1 ? bound : (__u32)-1;
	__u32 *average = &w->average[w->preempted & 1];
	__u64 ns = now - w->begin;

	ns = ns < most ? ns : most;
	*average += ns / AVERAGE_OVER - *average / AVERAGE_OVER;
}

/*
 * How many waits of the thread one is to stand for, since most are too short to be in the profile: log2.
 * Those in which the CPU was taken from it do not count for the others: on a busy machine they are short and
 * many, and say nothing of how long it sleeps.
 */
static __always_inline __u32 wait_shift(const struct wait *w)
{
	const __u64 average = w->average[w->preempted & 1];
	__u32 shift = 0;

	if (average << SHORT_SHIFT < opt_min_wait)
		return SHORT_SHIFT;
	for (; shift < SHORT_SHIFT; shift++)
		if (average << (shift + 1) >= opt_min_wait)
			break;
	return shift;
}

#define WAIT_TRIES 3 /* others that may move `since` on at the same time, and one */

static __always_inline void wait_move(struct wait *w, __u64 now, const enum wait_step step)
{
	for (int i = 0; i < WAIT_TRIES; i++) {
		const __u64 since = *(volatile __u64 *)&w->since, old = since >> SINCE_SHIFT;
		const int queued = since & SINCE_QUEUED;
		__u32 writer = since_writer(since);
		const __u64 next = now > old ? now : old;
		const enum wait_length length = wait_length(w, next);

		if (!since || (step == WAIT_QUEUES && queued) ||
		    (step == WAIT_SETTLES && length == WAIT_IS_SHORT))
			return;
		mem_opaque(writer);
		if (writer >= WAIT_WRITERS)
			return;
		if (__sync_val_compare_and_swap(
			    &w->since, since,
			    step == WAIT_ENDS || step == WAIT_YIELDS ? 0 :
			    since_make(next, writer, queued || step == WAIT_QUEUES)) != since)
			continue;
		wait_count(w, &w->stack[writer], queued, next - old, next, length,
			   step == WAIT_ENDS || step == WAIT_QUEUES);
		if (step == WAIT_ENDS)
			wait_learn(w, next);
		return;
	}
}

#endif
