/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gil_musl.h - waits for the GIL where the C library is musl (python/musl.h).
 */
#ifndef PYPERF_BPF_EVENTS_GIL_MUSL_H
#define PYPERF_BPF_EVENTS_GIL_MUSL_H

#include "bpf/data/scratch.h"
#include "bpf/python/musl.h"

#define MUSL_STACK 1024 /* bytes from the stack pointer up to the node, at most */

/* Whether the futex is on the stack of its thread, as few others are. */
static __always_inline int gil_is_on_stack(__u64 futex, __u64 sp)
{
	return futex - sp < MUSL_STACK && (futex & 7) == (MUSL_WORD & 7);
}

/* Whether the thread that sleeps in this futex waits for a condition of the GIL at s->gil.address. */
__noinline int gil_lists(struct scratch *s, __u64 futex)
{
	if (!s)
		return 0;
	s->unwind.block.size = 0; /* of the stack it has nothing now */
	return musl_lists(&s->walk, (__u64 *)s->unwind.mem, s->gil.address, futex);
}

#endif
