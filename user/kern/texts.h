/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * texts.h - the kernel side's table of machine code (bpf/abi/native.h): user space alone writes it, while the
 * sampler reads. Blocks are given out one after the other. When there are no more, all of them are free again
 * with the next edition.
 */
#ifndef PYPERF_KERN_TEXTS_H
#define PYPERF_KERN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct kernel;
struct kernel_options;
struct pyperf;

struct texts {
	struct kernel *kernel;
	union text_block *blocks; /* NULL without --native */
	__u32 count;
	__u32 used;
	__u32 reserved; /* of those that are left: they are not for who adds something now */
	bool with_rows; /* callers are wanted, too */
};

/* Before loading: what the options say of native code, for which the table is sized. 0 or -errno. */
int texts_size(struct pyperf *skel, const struct kernel_options *o);
/* After loading. 0 or -errno. */
int texts_open(struct texts *t, struct kernel *k);
void texts_close(struct texts *t); /* all zero is fine */

/*
 * Adds a process's mappings, in order of address. *ret is the block for texts_set_space(); mapping number i
 * is in block *ret + 1 + i. 0; -ENOSPC; -EDQUOT for want of blocks that are not reserved, as below; -EINVAL
 * for more than 4,096.
 */
int texts_add_space(struct texts *t, const struct text_mapping *mappings, __u32 count, __u32 *ret);

/* A file's functions, by their offsets. */
struct text_functions {
	const __u32 *offsets; /* of the first; the next one is stride bytes further on; ascending */
	size_t stride;
	__u32 count;
	__u32 end; /* offset behind the last one's code */
};

/* Adds a file, whose first byte has this position. *ret is what struct text_mapping.text is to be. */
int texts_add_text(struct texts *t, __u64 base, const struct text_functions *functions, __u32 *ret);
/* Says which part of the file is the interpreter's loop. -ENOSPC if there are LOOP_PARTS. */
int texts_add_loop(struct texts *t, __u32 text, __u32 begin, __u32 end);
/*
 * Gives a file the rows of a region, numbered from the file's begin: REGION_INDEX words and `rows` rows; or
 * none, if words is NULL. 0, -ENOSPC, or -ERANGE if the file has no such region.
 */
int texts_add_rows(struct texts *t, __u32 text, __u32 region, const __u32 *words, __u32 rows);
/* Whether nothing is known yet of the rows of the region that holds this position of the file. */
bool texts_want_rows(const struct texts *t, __u32 text, __u64 position);
/* Changes a mapping that is in use. */
void texts_set_text(struct texts *t, __u32 mapping_block, __u32 text);
const struct text_mapping *texts_mapping(const struct texts *t, __u32 mapping_block);

/* Gives a process its mappings. 0, -ESRCH if the kernel side has no such process, or another -errno. */
int texts_set_space(struct texts *t, __u32 pid, __u32 id, __u32 block);
/* The value of struct process.space for this block. */
__u32 texts_space(const struct texts *t, __u32 block);
/* The block in a struct process.space; 0 = none, or one of another edition. */
__u32 texts_space_block(const struct texts *t, __u32 space);

/*
 * Begins an edition: no process has mappings, no file a text. The caller then waits until no tick is under
 * way that began before (kernel_wait()), and calls texts_reuse().
 */
void texts_begin_edition(struct texts *t);
void texts_reuse(struct texts *t);

/* The texts of the kernel side. */
struct texts *kernel_texts(struct kernel *k);

#endif
