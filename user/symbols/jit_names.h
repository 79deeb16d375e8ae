/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit_names.h - has the names of code read that processes make at run time, and again when their files have
 * grown.
 */
#ifndef PYPERF_SYMBOLS_JIT_NAMES_H
#define PYPERF_SYMBOLS_JIT_NAMES_H

#include <linux/types.h>

struct code_map;
struct jit_names;
struct jits;
struct loop;
struct questions;
struct registry;

/* All borrowed. 0 or -ENOMEM. */
int jit_names_new(struct jit_names **ret, struct jits *jits, const struct registry *registry,
		  struct questions *questions);
void jit_names_free(struct jit_names *j); /* NULL is fine */

/*
 * A mapping of memory with code, of a process (struct process.id) that has a perf map: *ret_position is what
 * the kernel side is to know it by. 0 or -ENOSPC, -ENOMEM: it has no names.
 */
int jit_names_met(struct jit_names *j, __u32 process, const struct code_map *map, __u64 *ret_position);
/* Adds the row that asks each second whether files have grown. 0 or -errno of loop_watch(). */
int jit_names_watch(struct jit_names *j, struct loop *loop);

#endif
