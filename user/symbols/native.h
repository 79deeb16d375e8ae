/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native.h - tells the kernel side where machine code is: the mappings of a process, and the functions of a
 * file, each when a sample first needs it.
 */
#ifndef PYPERF_SYMBOLS_NATIVE_H
#define PYPERF_SYMBOLS_NATIVE_H

#include "bpf/abi.h"

struct kernel;
struct loop;
struct native_targets;
struct natives;
struct questions;
struct registry;
struct registry_entry;

/* All borrowed. 0 or -ENOMEM. */
int native_targets_new(struct native_targets **ret, struct kernel *kernel, struct natives *natives,
		       const struct registry *registry, struct questions *questions);
void native_targets_free(struct native_targets *t); /* NULL is fine */

/* A sample could not place its program counter. What is missing is asked of the worker, or it is there. */
void native_record(struct native_targets *t, const struct record_native *e);
/* An address at which a process has a file (natives_file()) mapped, as far as that is known; else 0. */
__u64 native_address(const struct native_targets *t, const struct registry_entry *process, __u32 file);
/* A bank of the call tree was cleared: what nobody has mapped any more may go (native_room.h). */
void native_bank_cleared(struct native_targets *t);
/* native_room_fullness() */
double native_fullness(const struct native_targets *t);
/*
 * Adds the rows of what it does by itself: jit_names_watch(), native_room_second(). 0 or -errno of
 * loop_watch().
 */
int native_watch(struct native_targets *t, struct loop *loop);

#endif
