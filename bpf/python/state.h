/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the states of states.def that a sample's thread is in, from the words of its thread state and
 * from what the search for that and the look at the code epoch have read. No read is made for them alone: it
 * would cost some 80 ns.
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
 *
 * gc.frame is the frame that the collecting thread was in when the collection began, and NULL when none is
 * going on (3.15, gc_collect_main() in Python/gc.c). No other thread can be in that frame, so the label is
 * never another's that runs while a finalizer lets go of the GIL; nor is it that of the Python code of a
 * finalizer, which has a frame of its own. gc.collecting, which is all that older versions have, is the whole
 * interpreter's: it does not tell which thread collects.
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
	if (s->code.gc_frame && s->code.gc_frame == tstate_field(s, l->tstate_frame))
		bits |= STATE_BIT(GC);
	return bits;
}

#endif
