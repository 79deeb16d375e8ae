/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * texts.h - the kernel side's table of machine code (bpf/abi/native.h): user space alone writes it, while the
 * sampler reads. Blocks are given out one after the other. When there are no more, all of them are free again
 * with the next generation.
 */
#ifndef PYPERF_KERN_TEXTS_H
#define PYPERF_KERN_TEXTS_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct pyperf;

struct texts {
	struct pyperf *skel;
	union text_block *blocks; /* NULL without --native */
	__u32 count;
	__u32 used;
};

/* Before loading: sizes the table, for a memory of so many bytes; 0 = it is not used. 0 or -errno. */
int texts_size(struct pyperf *skel, size_t bytes);
/* After loading. 0 or -errno. */
int texts_open(struct texts *t, struct pyperf *skel);
void texts_close(struct texts *t); /* all zero is fine */

/*
 * Adds a process's mappings, in order of address. *ret is the block for texts_set_space(); mapping number i
 * is in block *ret + 1 + i. 0; -ENOSPC; -EINVAL for more than 4,096.
 */
int texts_add_space(struct texts *t, const struct text_mapping *mappings, __u32 count, __u32 *ret);
/* Adds a file's functions by their offsets, ascending. *ret is what struct text_mapping.text is to be. */
int texts_add_text(struct texts *t, __u64 base, const __u32 *offsets, size_t stride, __u32 count, __u32 end,
		   __u32 *ret);
/* Changes a mapping that is in use. */
void texts_set_text(struct texts *t, __u32 mapping_block, __u32 text);
const struct text_mapping *texts_mapping(const struct texts *t, __u32 mapping_block);

/* Gives a process its mappings. 0, -ESRCH if the kernel side has no such process, or another -errno. */
int texts_set_space(struct texts *t, __u32 pid, __u32 id, __u32 block);
/* The block in a struct process.space; 0 = none, or one of another generation. */
__u32 texts_space_block(const struct texts *t, __u32 space);

/*
 * Begins a generation: no process has mappings, no file a text. The caller then waits until no tick is under
 * way that began before (kernel_wait()), and calls texts_reuse().
 */
void texts_begin_generation(struct texts *t);
void texts_reuse(struct texts *t);

#endif
