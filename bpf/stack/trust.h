/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trust.h - whether the thread's last stack may still be used, beyond what the comparison of frames proves:
 * that the code objects of its callers are what they were. With a code epoch (python/epoch.h) that is one
 * comparison. Without one, up to 3.12, it rests on the rules of docs/internals/cache.md ("Without an epoch"):
 * headers are read again, one at a sample and all of them when new code was met, and everything now and then.
 */
#ifndef PYPERF_BPF_STACK_TRUST_H
#define PYPERF_BPF_STACK_TRUST_H

#include "bpf/data/maps.h"
#include "bpf/python/cache.h"
#include "bpf/python/code.h"

/* For so long, and so many samples of the thread, the names of cached callers are not read again. */
#define TRUST_SECONDS 8
#define TRUST_SAMPLES 256

/* Why the cached stack cannot be used any more; CACHE_EMPTY_REASONS if it can. */
static __always_inline enum cache_empty cache_end(const struct scratch *s, const struct thread *t,
						  const struct process *p, __u32 root)
{
	const struct cache *k = &t->cache;

	if (k->tstate != t->tstate || k->epoch != s->code.epoch || k->root != root)
		return CACHE_OTHER;
	if (s->code.epoch)
		return CACHE_EMPTY_REASONS;
	if (p->unsettled == UNSETTLED_ALWAYS) /* a settled object was replaced: read in full for good */
		return CACHE_NEW_CODE;
	if (t->used - k->since > TRUST_SECONDS * opt_hz || k->uses >= TRUST_SAMPLES)
		return CACHE_OLD;
	return CACHE_EMPTY_REASONS;
}

/* Forgets the cached stack if it is of another thread state, epoch or tree, or was trusted for long. */
static __always_inline void cache_prepare(struct scratch *s, struct cpu_stats *count, struct thread *t,
					  const struct process *p, __u32 root)
{
	struct cache *k = &t->cache;
	const enum cache_empty end = k->depth ? cache_end(s, t, p, root) : CACHE_EMPTY_REASONS;

	if (end != CACHE_EMPTY_REASONS) {
		k->depth = 0;
		k->empty = end;
		count->cache_dropped++;
	}
	if (!k->depth) {
		k->since = k->checked = t->used;
		k->uses = 0;
		t->reading++;
	}
	k->uses++;
	s->code.recall = s->code.epoch ? RECALL_NOT : RECALL_MAY;
	k->tstate = t->tstate;
	k->root = root;
	k->epoch = s->code.epoch;
}

struct reread {
	struct scratch *s;
	struct thread *t;
	const struct layout *l;
	__u32 whole;
	__u32 differs;
};

/* Reads the next cached frame's code object again. Returns 1 if it differs, else 0. */
static long cache_reread_step(__u32 i, struct reread *r)
{
	struct cache *k = &r->t->cache;
	const struct cached *c;
	const struct node *n;
	__u32 node;

	if ((i & (LATE_STEPS - 1)) == LATE_STEPS - 1 && walk_late(&r->s->walk)) {
		r->differs = 1;
		return 1;
	}
	if (k->next >= r->s->walk.cached.run)
		k->next = 0;
	c = cache_at(k, k->next++);
	if (!c->code)
		return 0;
	node = c->node;
	n = bpf_map_lookup_elem(&nodes, &node);
	r->differs = !n || !code_holds(r->s, r->l, c->code, node_code(n->key), r->whole);
	return r->differs;
}

/*
 * Reads the code objects of all cached callers of this sample again, or only the header of the one whose turn
 * it is. Returns 0 if each of them is what it was when its frame was interned, else 1. A function of its own
 * to the verifier.
 */
__noinline int cache_reread(struct scratch *s, struct cpu_stats *count, struct thread *t,
			    const struct layout *l, __u32 all)
{
	struct reread r = { s, t, l, all != 0, 0 };
	__u32 n;

	if (!s || !count || !t || !l)
		return 1;
	n = all ? s->walk.cached.run : 1;
	if (n > CACHE_DEPTH)
		return 1;
	bpf_loop(n, cache_reread_step, &r, 0);
	count->cache_reread += n;
	t->cache.looked = t->used;
	return r.differs;
}

/*
 * Without an epoch, before cached callers are used: whether one of their code objects is another one. If the
 * process has met new code since they were last read, all of them are read again, and nothing else of this
 * sample goes by a header alone. Otherwise one is, at most once in a jiffy: so the headers of a stack have
 * been read again after as many samples, or jiffies, as it has frames.
 */
static __always_inline int cache_is_refuted(struct scratch *s, struct cpu_stats *count, struct thread *t,
					    const struct process *p, const struct layout *l)
{
	struct cache *k = &t->cache;
	const __u32 run = s->walk.cached.run, all = k->checked <= p->unsettled;

	if (s->code.epoch)
		return 0;
	if (all)
		t->reading++;
	if (run && (all || k->looked != t->used) && cache_reread(s, count, t, l, all))
		return 1;
	if (all)
		k->checked = t->used;
	return 0;
}

/*
 * Whether the sample trusted code objects that were read earlier, and met a new one. That is a sign that the
 * others may have changed as well, so cached callers are read again. They are not trusted if it was made
 * where another one had been, or if other frames went by a header alone.
 */
static __always_inline int cache_is_doubted(struct scratch *s, struct cpu_stats *count, struct thread *t,
					    const struct layout *l)
{
	const __u32 run = s->walk.cached.run;

	if (s->code.epoch)
		return 0;
	if (!(s->code.unsettled & (UNSETTLED_NEW | UNSETTLED_REUSED)))
		return 0;
	if (s->code.recall == RECALL_DONE || s->code.unsettled & UNSETTLED_REUSED)
		return run || s->code.recall == RECALL_DONE;
	return run && cache_reread(s, count, t, l, 1);
}

/* Gives the cached stack up in this very sample, which then reads everything. */
static __always_inline void cache_refute(struct scratch *s, struct cpu_stats *count, struct thread *t)
{
	code_read_anew(s);
	t->cache.depth = 0;
	t->cache.empty = CACHE_NEW_CODE;
	count->cache_dropped++;
	count->cache_miss++;
	count->cache_new_code++;
}

/* Counts how much of the stack the cache had, and why it had nothing. depth: what it had to offer. */
static __always_inline void cache_count(struct scratch *s, struct cpu_stats *count, struct thread *t,
					__u32 depth)
{
	const __u32 empty = t->cache.empty;

	if (s->walk.cached.run) {
		if (!s->walk.depth && s->walk.cached.run == t->cache.depth)
			count->cache_full++;
		else
			count->cache_partial++;
		return;
	}
	count->cache_miss++;
	count->cache_chain += depth != 0;
	count->cache_other += !depth && empty == CACHE_OTHER;
	count->cache_unsettled += !depth && empty == CACHE_UNSETTLED;
	count->cache_old += !depth && empty == CACHE_OLD;
	count->cache_new_code += !depth && empty == CACHE_NEW_CODE;
}

#endif
