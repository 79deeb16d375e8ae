/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * looks.h - stacks that are taken from outside: of threads that slept before their stack could be taken, and
 * of asyncio's tasks; and where context variables are. They say who is looked at and when; the looks
 * themselves are the worker's (user/remote).
 */
#ifndef PYPERF_REMOTE_POLLS_LOOKS_H
#define PYPERF_REMOTE_POLLS_LOOKS_H

struct captures;
struct context_names;
struct kernel;
struct looks;
struct loop;
struct questions;
struct registry;

/* All borrowed. 0 or -ENOMEM. */
int looks_new(struct looks **ret, struct kernel *kernel, const struct registry *registry,
	      struct questions *questions, struct captures *captures, const struct context_names *names);
void looks_free(struct looks *l); /* NULL is fine */

/*
 * Adds the rows that do what is due, for some ms of a turn at most: asleep_watch(), task_targets_watch(),
 * context_targets_watch().
 * They come after that of the worker's answers. 0 or -errno of loop_watch().
 */
int looks_watch(struct looks *l, struct loop *loop);

#endif
