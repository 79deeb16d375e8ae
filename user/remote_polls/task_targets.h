/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_targets.h - which processes have asyncio (3.14+). With --async the kernel side is told where their
 * tasks are. With --event tasks: has the asyncio tasks of each Python process looked at from outside,
 * at most ten times a second, and their stacks counted. All looks together take at most a twentieth of a CPU
 * over time.
 */
#ifndef PYPERF_REMOTE_POLLS_TASK_TARGETS_H
#define PYPERF_REMOTE_POLLS_TASK_TARGETS_H

struct captures;
struct kernel;
struct loop;
struct questions;
struct registry;
struct task_targets;

/* All borrowed. 0 or -ENOMEM. */
int task_targets_new(struct task_targets **ret, struct kernel *kernel, const struct registry *registry,
		     struct questions *questions, struct captures *captures);
void task_targets_free(struct task_targets *t); /* NULL is fine */

/* Adds the row that does it, for some ms of a turn at most. 0 or -errno of loop_watch(). */
int task_targets_watch(struct task_targets *t, struct loop *loop);

#endif
