/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context_targets.h - with --label-var: has the context variables of each Python process looked for, until
 * all names are found and now and then afterwards, and tells the kernel side where they are.
 */
#ifndef PYPERF_REMOTE_POLLS_CONTEXT_TARGETS_H
#define PYPERF_REMOTE_POLLS_CONTEXT_TARGETS_H

struct context_names;
struct context_targets;
struct kernel;
struct loop;
struct questions;
struct registry;

/* All borrowed; names may be NULL. 0 or -ENOMEM. */
int context_targets_new(struct context_targets **ret, struct kernel *kernel, const struct registry *registry,
			struct questions *questions, const struct context_names *names);
/* NULL is fine. Says which names no process had. */
void context_targets_free(struct context_targets *t);

/* Adds the row that does it. 0 or -errno of loop_watch(). */
int context_targets_watch(struct context_targets *t, struct loop *loop);

#endif
