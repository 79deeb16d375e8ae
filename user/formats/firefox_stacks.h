/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firefox_stacks.h - all stacks of a profile as one tree of frames, as the Firefox Profiler has them.
 */
#ifndef PYPERF_FORMATS_FIREFOX_STACKS_H
#define PYPERF_FORMATS_FIREFOX_STACKS_H

#include <linux/types.h>

struct buf;
struct profile;

/* Begins as 0. */
struct firefox_stacks {
	struct firefox_stack {
		__u32 prefix; /* the number of its caller plus one; 0 = it is a root */
		__u32 frame;  /* the id of a location, less 1 */
	} *list;
	__u32 count, capacity;
	__u32 *slots; /* a hash table of numbers plus one */
	__u32 slot_count;
	__u32 *of_sample; /* by the id of a sample, less 1: the number of its stack */
};

/* 0 or -ENOMEM. */
int firefox_stacks_new(struct firefox_stacks *s, const struct profile *p);
void firefox_stacks_free(struct firefox_stacks *s);
/* Appends "stackTable":{...}, with a comma. 0 or -ENOMEM. */
int firefox_stacks_write(const struct firefox_stacks *s, struct buf *out);

#endif
