/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - the current thread's PyThreadState.
 *
 * CPython stores pthread_self() in tstate->thread_id, and the task's thread pointer tells what that is
 * (self.h). So any candidate can be proved, wherever it came from, and is proved on every sample. Candidates
 * are the one found last time, the GIL's holder, the one in the gilstate TSS slot, those in the interpreters'
 * lists. A thread can own several thread states (sub-interpreters): the attached one is preferred.
 */
#ifndef PYPERF_BPF_PYTHON_THREAD_H
#define PYPERF_BPF_PYTHON_THREAD_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"
#include "bpf/python/reads.h"
#include "bpf/python/self.h"
#include "bpf/tree/tree.h"

#define INTERPRETERS_MAX   16  /* interpreters looked at in one search */
#define SEARCH_MAX	   256 /* thread states looked at in one search */
#define SEARCH_BACKOFF_MAX 7   /* the pause after searches that found nothing doubles so often */

/* Forgets where the thread stood in the tree, if that was in an older generation of it. */
static __always_inline void thread_renew(struct thread *t, __u32 generation)
{
	if (t->generation == generation)
		return;
	t->generation = generation;
	thread_forget_roots(t);
	t->cache.depth = 0;
}

static __always_inline void thread_put(struct thread *t)
{
#if defined(__TARGET_ARCH_x86) /* stores are not reordered with older ones */
	barrier();
	*(volatile __u32 *)&t->busy = 0;
#else
	__sync_lock_test_and_set(&t->busy, 0);
#endif
}

/* Where in threads the set of slots for this thread begins. */
static __always_inline __u32 thread_first(__u32 tid)
{
	return ((__u32)mix(tid) & opt_thread_sets_mask) * THREAD_WAYS;
}

/*
 * The key of an entry: a thread has one entry for each kind of event, since the nodes in its cache are below
 * one root. Numbers of threads have 22 bits.
 */
static __always_inline __u32 thread_key(const struct task_struct *task, const enum event_kind kind)
{
	return task->pid | (__u32)kind << 24;
}

/*
 * The entry of this thread, marked busy. A new one takes the slot in its set that was not used for longest;
 * if samples on other CPUs use all of them, it is this CPU's stand-in.
 */
static __always_inline struct thread *thread_get(struct scratch *s, __u32 tid, __u64 start_time, __u64 now)
{
	__u32 first = thread_first(tid), victim_index = 0;
	__u64 oldest = ~0ULL;
	struct thread *t;

	for (int i = 0; i < THREAD_WAYS; i++) {
		__u32 index = first + i;

		t = bpf_map_lookup_elem(&threads, &index);
		if (!t)
			break;
		if (t->tid == tid && t->start_time == start_time) {
			if (__sync_lock_test_and_set(&t->busy, 1))
				break;
			/* Until it was marked, another CPU could give it to another thread. */
			if (t->tid != tid || t->start_time != start_time) {
				thread_put(t);
				continue;
			}
			t->used = now;
			thread_renew(t, s->tree.generation);
			return t;
		}
		if (!t->busy && t->used < oldest) {
			oldest = t->used;
			victim_index = index;
		}
	}
	t = bpf_map_lookup_elem(&threads, &victim_index);
	if (!t || oldest == ~0ULL || __sync_lock_test_and_set(&t->busy, 1))
		t = &s->stranger;
	t->tid = tid;
	t->start_time = start_time;
	t->tstate = t->interp = t->tss = 0;
	t->searched = 0;
	t->process = t->misses = t->cache.depth = 0;
	thread_forget_roots(t);
	t->generation = s->tree.generation;
	t->used = now;
	return t;
}

/* A field of the thread state that was read last. */
static __always_inline __u64 tstate_field(const struct scratch *s, __u32 offset)
{
	return *(const __u64 *)(s->tstate + (offset & TSTATE_MASK));
}

/* Reads the thread state at address, whosever it is, into s->tstate. 0, or negative if that fails. */
static __always_inline int tstate_read(struct scratch *s, const struct layout *l, __u64 address)
{
	__u32 size = l->tstate_size;

	mem_opaque(size);
	if (!mem_plausible(address) || size < 16 || size > TSTATE_READ)
		return -1;
	s->tstate_at = address;
	if (!walk_read(&s->walk, s->tstate, size, address))
		return 0;
	s->search.blind = 1;
	return -1;
}

/*
 * Whether the thread state in s->tstate has not been taken apart. A thread that ends its own leaves thread_id
 * and "active" as they are in memory that is free then (tstate_delete_common() in Python/pystate.c, 3.12 to
 * 3.15), but "unbound" and "cleared" are set. Where there is no status word, up to 3.11, the GIL's holder
 * tells.
 */
static __always_inline int tstate_is_living(const struct scratch *s, const struct layout *l)
{
	return ((__u32)tstate_field(s, l->tstate_status) & ~(__u32)l->status_may) == l->status_living;
}

#define TSTATE_NEAR 1024 /* more than the bytes of a PyThreadState, which are some 400 */

/*
 * 3.11, 3.12: whether the newest CFrame lies on the current thread's C stack, where it is in use. Then the
 * thread state is this thread's, whoever made it. Up to 3.12 that of a sub-interpreter keeps the id of its
 * maker.
 */
static __always_inline int tstate_is_on_stack(const struct scratch *s, const struct layout *l)
{
	return l->has_cframe && tstate_field(s, l->tstate_frame) - s->who.sp < s->who.stack;
}

/*
 * 3.11, 3.12: whether that CFrame is the first of all, which is a part of the thread state: the interpreter's
 * loop was not entered. What it names was put there by code that Nuitka has compiled, which writes nothing
 * else into it, so it is never half made.
 */
static __always_inline int cframe_is_first(const struct scratch *s, const struct layout *l)
{
	return l->has_cframe && tstate_field(s, l->tstate_frame) - s->tstate_at < TSTATE_NEAR;
}

/* Reads it as tstate_read() does. Whether it is the current thread's. */
static __always_inline int tstate_load(struct scratch *s, const struct layout *l, __u64 address)
{
	return !tstate_read(s, l, address) &&
	       (self_is(s, tstate_field(s, l->tstate_thread_id)) || tstate_is_on_stack(s, l)) &&
	       (!l->status_active || tstate_is_living(s, l));
}

/*
 * The same for the remembered one. Its interpreter is compared as well: free memory that somebody has begun
 * to write over has to have three words that fit.
 */
static __always_inline int tstate_load_known(struct scratch *s, const struct layout *l,
					     const struct thread *t)
{
	return tstate_load(s, l, t->tstate) && tstate_field(s, l->tstate_interp) == t->interp;
}

/* Whether the thread state in s->tstate is attached, that is, its thread may run Python code. */
static __always_inline int tstate_is_active(const struct scratch *s, const struct layout *l)
{
	return (tstate_field(s, l->tstate_status) & l->status_active) != 0;
}

/* The word at address; 0 if it cannot be read. */
static __always_inline __u64 search_read(struct scratch *s, __u64 address)
{
	__u64 value = 0;

	if (walk_read(&s->walk, &value, sizeof(value), address))
		s->search.blind = 1;
	return value;
}

/* Looks at one candidate. 1 when the search can end, with s->search.found set. */
static __always_inline int search_try(struct scratch *s, const struct layout *l, __u64 address)
{
	if (!tstate_load(s, l, address))
		return 0;
	if (!l->status_active || tstate_is_active(s, l)) {
		s->search.found = address;
		return 1;
	}
	if (!s->search.fallback)
		s->search.fallback = address;
	return 0;
}

struct search_context {
	struct scratch *s;
	const struct layout *l;
};

/* Looks at one thread state of an interpreter's list. Returns 0 to go on, 1 to stop. */
static long search_list(__u32 i, struct search_context *c)
{
	struct scratch *s = c->s;
	__u64 next;

	if (!mem_plausible(s->search.candidate) || !s->search.budget || walk_step_late(&s->walk))
		return 1;
	s->search.budget--;
	if (search_try(s, c->l, s->search.candidate))
		return 1;
	next = tstate_field(s, c->l->tstate_next);
	s->search.candidate = next == s->search.candidate ? 0 : next;
	return 0;
}

/* Looks at the GIL's holder and the thread states of one interpreter. Returns 0 to go on, 1 to stop. */
static long search_interpreter(__u32 i, struct search_context *c)
{
	struct scratch *s = c->s;
	const struct layout *l = c->l;
	__u64 interp = s->search.interp, gil;

	if (!mem_plausible(interp) || walk_step_late(&s->walk))
		return 1;
	if (l->interp_gil) {
		gil = search_read(s, interp + l->interp_gil);
		if (gil && search_try(s, l, search_read(s, gil + l->gil_holder)))
			return 1;
	}
	s->search.candidate = search_read(s, interp + l->interp_threads);
	bpf_loop(SEARCH_MAX, search_list, c, 0);
	if (s->search.found)
		return 1;
	s->search.blind |= s->search.candidate; /* the list has not been seen to its end */
	s->search.interp = search_read(s, interp + l->interp_next);
	return 0;
}

/*
 * glibc: struct pthread has specific_1stblock, 16 bytes a key of which the value is at 8 (x86-64: 2.36 and
 * 2.43; arm64: 2.36 and 2.41). What is found there is proved like any other candidate.
 */
#if defined(__TARGET_ARCH_x86)
#define TSS_FIRST 0x310
#define TSS_KEYS 32
#elif defined(__TARGET_ARCH_arm64)
#define TSS_FIRST 0x110
#define TSS_KEYS 32
#endif

/* The address of the thread's gilstate slot, 0 if it is unknown. */
static __always_inline __u64 tss_address(struct scratch *s, const struct process *p, const struct layout *l)
{
#ifdef TSS_FIRST
	__u64 word;
	__u32 key;

	if (!l->runtime_tss_key || !self_is_address(s->who.self))
		return 0;
	word = search_read(s, p->runtime + l->runtime_tss_key);
	key = word >> 32;
	if ((__u32)word == 1 && key < TSS_KEYS)
		return s->who.self + TSS_FIRST + 16 * key + 8;
#endif
	return 0;
}

/*
 * The interpreter at which the search begins. Where the list of interpreters is not known (2.7 and 3.6,
 * stripped) it is that of the GIL's holder, whoever that is. When nobody holds the GIL it is the one that
 * this thread was found in last, or else the one that the loader found in the interpreter's data: a thread
 * that calls C without the GIL would be lost otherwise.
 */
static __always_inline __u64 first_interpreter(struct scratch *s, const struct thread *t,
					       const struct process *p, const struct layout *l)
{
	__u64 holder;

	if (l->runtime_interpreters)
		return search_read(s, p->runtime + l->runtime_interpreters);
	holder = search_read(s, p->runtime + l->runtime_tstate) ?: t->tstate;
	if (!holder)
		return l->runtime_main ? search_read(s, p->runtime + l->runtime_main) : 0;
	*(__u64 *)(s->tstate + (l->tstate_interp & TSTATE_MASK)) = 0;
	tstate_load(s, l, holder);
	return tstate_field(s, l->tstate_interp);
}

/*
 * Looks everywhere, cheapest first, until the sample's time is over, and leaves the thread state's address,
 * or 0, in s->search.found. Without one s->search.blind says whether there may be one all the same.
 * s->search.fallback is taken where no thread state is active, and is set. Always 0.
 */
__noinline int tstate_search(struct scratch *s, struct thread *t, const struct process *p,
			     const struct layout *l)
{
	struct search_context c = { s, l };

	if (!s || !t || !p || !l)
		return -1;
	s->search.found = s->search.blind = 0;
	s->search.budget = SEARCH_MAX;
	if (l->runtime_tstate) {
		s->search.current = search_read(s, p->runtime + l->runtime_tstate);
		if (search_try(s, l, s->search.current))
			return 0;
	}
	t->tss = tss_address(s, p, l);
	if (t->tss && search_try(s, l, search_read(s, t->tss)))
		return 0;
	s->search.interp = first_interpreter(s, t, p, l);
	s->search.blind |= !s->search.interp;
	bpf_loop(INTERPRETERS_MAX, search_interpreter, &c, 0);
	/* A runtime that begins or ends has no thread states; on arm64 self may not be known yet. */
	s->search.blind |= s->search.interp || s->search.budget == SEARCH_MAX || !s->who.self;
	if (!s->search.found)
		s->search.found = s->search.fallback;
	return 0;
}

/*
 * Whether the remembered thread state, which is proved and in s->tstate, may be taken without looking
 * further. At most one search in a jiffy is made for a better one.
 */
static __always_inline int tstate_is_current(struct scratch *s, const struct thread *t,
					     const struct process *p, const struct layout *l, __u64 now)
{
	if (tstate_is_on_stack(s, l) && !self_is(s, tstate_field(s, l->tstate_thread_id)))
		return 1;
	if (l->status_active) {
		if (tstate_is_active(s, l))
			return 1;
		/*
		 * The thread has released the GIL, or it has gone on with another one of its thread states.
		 */
		if (t->tss && search_read(s, t->tss) == t->tstate)
			return 1;
		return now == t->searched;
	}
	if (!l->runtime_tstate)
		return 1;
	s->search.current = search_read(s, p->runtime + l->runtime_tstate);
	return s->search.current == t->tstate || now == t->searched;
}

/* From outside, whose thread state is where was read from the lists before (user/hosted/sample.c). */
#ifndef thread_state_hint
#define thread_state_hint(t, now)
#endif

/* The address of the current thread's thread state, whose bytes are then in s->tstate; 0 if it has none. */
static __always_inline __u64 tstate_find(struct scratch *s, struct cpu_stats *count, struct thread *t,
					 const struct process *p, const struct layout *l, __u64 now)
{
	__u64 found, known;

	if (l->has_cframe)
		self_stack(s);
	thread_state_hint(t, now);
	known = t->tstate && tstate_load_known(s, l, t) ? t->tstate : 0;
	if (known && tstate_is_current(s, t, p, l, now))
		return known;
	if (t->misses && now - t->searched < 1ULL << (t->misses & SEARCH_BACKOFF_MAX)) {
		/* A thread of C gets its thread state with each call into Python, and that is where it is. */
		found = t->tss ? search_read(s, t->tss) : 0;
		if (!found)
			return 0;
		if (l->runtime_tstate)
			s->search.current = search_read(s, p->runtime + l->runtime_tstate);
	} else {
		count->thread_searches++;
		/* A list may be longer than a search. Without a status word it may lie in free memory. */
		s->search.fallback = l->status_active ? known : 0;
		tstate_search(s, t, p, l);
		found = s->search.found;
		t->searched = now;
	}
	t->tstate = found;
	t->is_of_c = !found && !s->search.blind;
	if (!found || !tstate_load(s, l, found)) {
		if (t->misses < SEARCH_BACKOFF_MAX)
			t->misses++;
		return 0;
	}
	t->interp = tstate_field(s, l->tstate_interp);
	t->misses = 0;
	return found;
}

#endif
