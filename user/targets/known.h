/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known.h - files in which a layout was proved. Whoever is started from one of them later has it from its
 * exec on: until the worker has looked at it, only this is known of it.
 */
#ifndef PYPERF_TARGETS_KNOWN_H
#define PYPERF_TARGETS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct identity;
struct kernel;
struct registry;

struct known_file {
	struct program_file file;
	__u64 device, inode;	 /* of the runtime's file, as /proc/PID/maps has them */
	bool elsewhere;		 /* the runtime is in a library that the program needs */
	char *binary, *build_id; /* as registry_entry has them */
};

/* All 0 at first, but for kernel. */
struct known {
	struct kernel *kernel;
	struct known_file files[KNOWN_PROGRAMS];
	size_t count, oldest;
};

/*
 * The layout of this number was proved in a process that was started from this file. The oldest one makes
 * room. Nothing happens if where the runtime is follows from neither that file nor a library that it needs.
 */
void known_learn(struct known *k, const struct program_file *file, const struct identity *i, __u32 layout);
/*
 * Puts a process that was known at its exec into the registry. 0, -ENOENT: the file is not known, -ENOMEM.
 * *ret_elsewhere: where its runtime is remains to be found.
 */
int known_register(const struct known *k, struct registry *registry, const struct record_known *e,
		   bool *ret_elsewhere);
/*
 * Whether the kernel side has sampled this image since its exec by a layout that was proved in another
 * process of its file, and the worker has found the same one, at the same address, but nothing to prove it by
 * yet.
 */
bool known_holds(const struct known *k, const struct record_process *p, const struct identity *i);
/* None is known any more. */
void known_forget(struct known *k);
void known_free(struct known *k);

#endif
