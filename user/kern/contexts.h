/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contexts.h - with --label-var: tells the kernel side where processes keep context variables, and what it
 * was told.
 */
#ifndef PYPERF_KERN_CONTEXTS_H
#define PYPERF_KERN_CONTEXTS_H

#include <stdbool.h>

#include "bpf/abi.h"
#include "kern/index_room.h"

struct kernel;

struct contexts {
	struct kernel *kernel;
	struct context_vars *vars; /* CONTEXTS_MAX, as the kernel side has them; NULL = none is wanted */
	__u32 count;		   /* that were used */
	struct index_room room;
};

/*
 * Before loading: leaves the tables out unless k's options want context variables as labels, or the current
 * span. 0 or -ENOMEM.
 */
int contexts_prepare(struct contexts *t, struct kernel *k);
void contexts_free(struct contexts *t);

/* What a process with this struct process.contexts has; NULL = nothing was found yet. */
const struct context_vars *contexts_get(const struct contexts *t, __u32 contexts);

/*
 * Process id of this user, which has this pid, has these. 0; -ESRCH if the process is gone; -ENOSPC if there
 * is no room for this user (index_room.h); or another -errno.
 */
int contexts_set(struct contexts *t, __u32 pid, __u32 id, __u64 user, const struct context_vars *v);

/* Those of the kernel side. */
struct contexts *kernel_contexts(struct kernel *k);

#endif
