/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * looks.h - stacks that are taken from outside: of threads that slept before their stack could be taken, and
 * of asyncio's tasks. They say who is looked at and when; the looks themselves are the worker's
 * (user/outside).
 */
#ifndef PYPERF_LOOKS_LOOKS_H
#define PYPERF_LOOKS_LOOKS_H

struct captures;
struct kernel;
struct looks;
struct questions;
struct registry;

/* All borrowed. 0 or -ENOMEM. */
int looks_new(struct looks **ret, struct kernel *kernel, const struct registry *registry,
	      struct questions *questions, struct captures *captures);
void looks_free(struct looks *l); /* NULL is fine */

/* Does what is due, for some ms at most: asleep_turn(), task_targets_turn(). In each turn of the loop. */
void looks_turn(struct looks *l);
/* Milliseconds until there is something to do, as epoll_wait() wants them; -1: nothing by itself. */
int looks_timeout_ms(const struct looks *l);

#endif
