/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_word.h - single words of a thread's stack, out of blocks: to read 8 bytes costs nearly as much as to
 * read 4 KiB.
 */
#ifndef PYPERF_BPF_NATIVE_STACK_WORD_H
#define PYPERF_BPF_NATIVE_STACK_WORD_H

#include "bpf/base/mem.h"
#include "bpf/data/scratch.h"
#include "bpf/python/reads.h"

/*
 * Reads the stack from this address on: a block, or the rest of the page. 0 or negative. Compilers put no
 * misaligned word on the stack, so a misaligned address leads to other memory than a stack.
 */
static __always_inline int stack_read(struct scratch *s, __u64 address)
{
	struct unwind *u = &s->unwind;
	__u32 size = STACK_BLOCK;

	u->block.size = 0;
	if (!mem_plausible(address))
		return -1;
	if (walk_read(&s->walk, u->mem, size, address)) {
		size = STACK_BLOCK - (address & (STACK_BLOCK - 1));
		mem_opaque(size);
		if (size > STACK_BLOCK || size < 8 || walk_read(&s->walk, u->mem, size, address))
			return -1;
	}
	u->block.address = address;
	u->block.size = size;
	return 0;
}

/* The word at this address, if the block at hand has it; else NULL. */
static __always_inline const __u64 *stack_seen(const struct unwind *u, __u64 address)
{
	__u64 at = address - u->block.address;

	if (u->block.size < 8 || at > u->block.size - 8 || at & 7)
		return NULL;
	mem_opaque(at);
	return (const __u64 *)(u->mem + (at & (STACK_BLOCK - 1) & ~7ULL));
}

/*
 * The word of the stack at this address; *ret stays as it is if that fails. 0 or negative. A global function,
 * which the verifier looks at once, and not again wherever it is called from.
 */
WALK_GLOBAL int stack_word(struct scratch *s, __u64 address, __u64 *ret)
{
	const __u64 *word;
	struct unwind *u;

	if (!s || !ret)
		return -1;
	u = &s->unwind;
	word = stack_seen(u, address);
	if (!word) {
		if (stack_read(s, address))
			return -1;
		word = (const __u64 *)u->mem;
	}
	*ret = *word;
	return 0;
}

#endif
