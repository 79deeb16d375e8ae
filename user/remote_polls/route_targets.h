/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route_targets.h - with --trace: has the route of each span read that the kernel side has met, once, while
 * the span lives, and keeps it (names/routes.h). A span that has none yet is looked at again, less and less
 * often.
 */
#ifndef PYPERF_REMOTE_POLLS_ROUTE_TARGETS_H
#define PYPERF_REMOTE_POLLS_ROUTE_TARGETS_H

#include <stddef.h>

struct kernel;
struct loop;
struct questions;
struct registry;
struct route_targets;
struct routes;

#define ROUTE_TARGETS_MAX 4096 /* spans that wait to be looked at */

/* All borrowed. 0 or -ENOMEM. */
int route_targets_new(struct route_targets **ret, struct kernel *kernel, const struct registry *registry,
		      struct questions *questions, struct routes *routes);
void route_targets_free(struct route_targets *t); /* NULL is fine */

/* Takes a struct record_span; fits discover_on_record(). */
void route_targets_record(void *targets, const void *record, size_t size);
/* Adds the row that asks; none for NULL. 0 or -errno of loop_watch(). */
int route_targets_watch(struct route_targets *t, struct loop *loop);

#endif
