/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * musl.h - who waits for a condition where the C library is musl. There a thread sleeps in a word of its own
 * stack, in a node of the condition's list (struct waiter in src/thread/pthread_cond_timedwait.c). The list's
 * first and last nodes are in the condition, which is in the GIL; who came last is the first one.
 */
#ifndef PYPERF_BPF_PYTHON_MUSL_H
#define PYPERF_BPF_PYTHON_MUSL_H

#include "bpf/abi/layout.h"
#include "bpf/python/reads.h"

#define MUSL_WORD  20 /* of a node in which its thread sleeps: behind two links and the state */
#define MUSL_NODES 16 /* that have come since, at most */

static __always_inline int musl_names(const __u64 *words, __u64 node)
{
	for (int i = 0; i < GIL_BYTES / 8; i++)
		if (words[i] == node)
			return 1;
	return 0;
}

/*
 * Whether the thread that sleeps in this futex waits for a condition of the GIL at this address. words: room
 * for GIL_BYTES.
 */
static __always_inline int musl_lists(struct walk *w, __u64 *words, __u64 gil, __u64 futex)
{
	__u64 node = futex - MUSL_WORD;

	if (walk_read(w, words, GIL_BYTES, gil))
		return 0;
	for (int i = 0; i < MUSL_NODES; i++) {
		if (!mem_plausible(node))
			return 0;
		if (musl_names(words, node))
			return 1;
		if (walk_read(w, &node, sizeof(node), node))
			return 0;
	}
	return 0;
}

#endif
