/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gil_musl.h - waits for the GIL where the C library is musl. There a thread that waits for a condition
 * sleeps in a word of its own stack, in a node of the condition's list (struct waiter in
 * src/thread/pthread_cond_timedwait.c). The list's first and last nodes are in the condition, which is in the
 * GIL; who came last is the first one.
 */
#ifndef PYPERF_BPF_EVENTS_GIL_MUSL_H
#define PYPERF_BPF_EVENTS_GIL_MUSL_H

#include "bpf/data/scratch.h"
#include "bpf/python/reads.h"

#define MUSL_WORD   20	 /* of a node in which its thread sleeps: behind two links and the state */
#define MUSL_STACK  1024 /* bytes from the stack pointer up to the node, at most */
#define MUSL_NODES  16	 /* that have come since, at most */

/* Whether the futex is on the stack of its thread, as few others are. */
static __always_inline int gil_is_on_stack(__u64 futex, __u64 sp)
{
	return futex - sp < MUSL_STACK && (futex & 7) == (MUSL_WORD & 7);
}

static __always_inline int gil_names(const struct scratch *s, __u64 node)
{
	const __u64 *words = (const __u64 *)s->unwind.mem;

	for (int i = 0; i < GIL_BYTES / 8; i++)
		if (words[i] == node)
			return 1;
	return 0;
}

/* Whether the thread that sleeps in this futex waits for a condition of the GIL at s->gil.address. */
__noinline int gil_lists(struct scratch *s, __u64 futex)
{
	__u64 node = futex - MUSL_WORD;

	if (!s)
		return 0;
	s->unwind.block.size = 0; /* of the stack it has nothing now */
	if (walk_read(&s->walk, s->unwind.mem, GIL_BYTES, s->gil.address))
		return 0;
	for (int i = 0; i < MUSL_NODES; i++) {
		if (!mem_plausible(node))
			return 0;
		if (gil_names(s, node))
			return 1;
		if (walk_read(&s->walk, &node, sizeof(node), node))
			return 0;
	}
	return 0;
}

#endif
