/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_context.h - with --trace: the ids that a thread publishes for whoever looks from outside (OTEP
 * 4947). A record of its own has them, which only the thread itself writes. It stands still meanwhile, so a
 * record is either whole or says that it is not. What is not as it should be is counted, and taken for
 * nothing.
 */
#ifndef PYPERF_BPF_PYTHON_THREAD_CONTEXT_H
#define PYPERF_BPF_PYTHON_THREAD_CONTEXT_H

#include "bpf/data/maps.h"
#include "bpf/python/thread.h"

/*
 * Where a library has its variables in this thread, by the thread's table of such places; 0 = it has none
 * there. A table is only brought up to date when its thread uses a variable: until then it may be shorter, or
 * have at this number what another library had that is gone (glibc, __tls_get_addr()).
 */
static __always_inline __u64 thread_context_block(struct scratch *s, const struct thread_context_place *p)
{
	const __u64 table = search_read(s, s->who.self + THREAD_TABLE);
	__u64 *head = s->trace.words;

	if (!mem_plausible(table) ||
	    walk_read(&s->walk, head, THREAD_TABLE_HEAD + sizeof(__u64), table - THREAD_TABLE_HEAD) ||
	    head[0] < p->module || head[THREAD_TABLE_HEAD / 8] < p->generation)
		return 0;
	return search_read(s, table + THREAD_TABLE_ENTRY * (__u64)p->module);
}

/* Whether a record can be there: they are 2-aligned. */
static __always_inline int thread_context_plausible(__u64 address)
{
	return address >= 4096 && !(address & 1) && !(address >> ADDRESS_BITS);
}

/*
 * The ids that the current thread publishes become those of the sample. 0, also if it publishes none; or
 * negative. A global function: the verifier looks at it once.
 */
__noinline int thread_context_read(struct scratch *s, const struct context_vars *v)
{
	const struct thread_context_record *r;
	__u64 block, address;

	if (!opt_trace || !s || !v)
		return -1;
	block = v->thread.kind == THREAD_CONTEXT_STATIC ? s->who.self : thread_context_block(s, &v->thread);
	if (!mem_plausible(block))
		return 0;
	address = search_read(s, block + v->thread.offset);
	if (!address)
		return 0;
	r = &s->trace.record;
	if (!thread_context_plausible(address) ||
	    walk_read(&s->walk, &s->trace.record, THREAD_CONTEXT_READ, address) || r->valid > 1)
		return -1;
	if (!r->valid || !(r->trace[0] | r->trace[1] | r->span))
		return 0;
	if (!(r->trace[0] | r->trace[1]) || !r->span)
		return -1;
	s->trace.ids.high = __builtin_bswap64(r->trace[0]);
	s->trace.ids.low = __builtin_bswap64(r->trace[1]);
	s->trace.ids.span = __builtin_bswap64(r->span);
	return 0;
}

#endif
