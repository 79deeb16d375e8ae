/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * called_targets.h - asks what a program calls its threads (remote/thread_names.h), once threads were
 * sampled of which that is not known yet. One look tells it of all threads that the process has then.
 */
#ifndef PYPERF_REMOTE_POLLS_CALLED_TARGETS_H
#define PYPERF_REMOTE_POLLS_CALLED_TARGETS_H

struct called;
struct called_targets;
struct kernel;
struct loop;
struct questions;
struct registry;

/* All borrowed. 0 or -ENOMEM. */
int called_targets_new(struct called_targets **ret, struct kernel *kernel, const struct registry *registry,
		       struct questions *questions, struct called *called);
void called_targets_free(struct called_targets *t); /* NULL is fine */

/* Adds the row that asks what is due. NULL is fine. 0 or -errno of loop_watch(). */
int called_targets_watch(struct called_targets *t, struct loop *loop);

#endif
