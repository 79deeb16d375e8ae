/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * published.h - has each Python process looked at for what it publishes about itself (proc/otel_context.h):
 * soon after it was found, less and less often while it publishes nothing, and every few seconds once it
 * does. What is found becomes labels of the registry's entry.
 */
#ifndef PYPERF_REMOTE_POLLS_PUBLISHED_H
#define PYPERF_REMOTE_POLLS_PUBLISHED_H

struct kernel;
struct loop;
struct published;
struct questions;
struct registry;

/* All borrowed. 0 or -ENOMEM. */
int published_new(struct published **ret, struct kernel *kernel, struct registry *registry,
		  struct questions *questions);
void published_free(struct published *p); /* NULL is fine */

/* Adds the row that does it; none for NULL. 0 or -errno of loop_watch(). */
int published_watch(struct published *p, struct loop *loop);

#endif
