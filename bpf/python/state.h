/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the states of states.def that a sample's thread is in, from the words of its thread state and
 * from what the search for that has read. Nothing is read for them alone: a read costs some 50 ns.
 *
 * The states are a node of their own below the stack, with a bit for each. So callers, caches and the nodes
 * of stacks know nothing of them, and a stack that is always met in one state has one node more.
 */
#ifndef PYPERF_BPF_PYTHON_STATE_H
#define PYPERF_BPF_PYTHON_STATE_H

#include "bpf/python/thread.h"
#include "bpf/tree/tree.h"

/*
 * Whether the thread may run Python code. From 3.12 on _status.active says so. Before, the runtime names the
 * one thread that has the GIL: PyEval_SaveThread() takes its name away before it lets go of the GIL, and
 * PyEval_RestoreThread() puts it there after it has got it (Python/ceval.c, 2.7 to 3.11).
 */
static __always_inline __u32 state_is_attached(const struct scratch *s, const struct layout *l,
					       __u64 tstate)
{
	return l->status_active ? tstate_is_active(s, l) : s->search.current == tstate;
}

/*
 * The states of the thread whose thread state is in s->tstate, at this address, as STATE_BIT()s.
 *
 * exc_state is the base of the stack of exceptions that are handled. Its value is NULL when none is:
 * POP_EXCEPT puts NULL there, not None (3.13 to 3.15, Python/bytecodes.c). A generator has an entry of its
 * own, in its object, which is not read.
 */
static __always_inline __u32 state_of(const struct scratch *s, const struct layout *l, __u64 tstate)
{
	__u32 bits = 0;

	if (l->free_threaded)
		bits = state_is_attached(s, l, tstate) ? STATE_BIT(ATTACHED) : STATE_BIT(DETACHED);
	else if (l->status_active || l->runtime_tstate)
		bits = state_is_attached(s, l, tstate) ? STATE_BIT(HOLDS) : STATE_BIT(RELEASED);
	if (l->tstate_exception && tstate_field(s, l->tstate_exception))
		bits |= STATE_BIT(EXCEPTION);
	return bits;
}

#endif
