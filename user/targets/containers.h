/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * containers.h - which container each known process is in. A process can be moved to another cgroup, or its
 * pod's folder appear, long after the process was discovered, so the worker is asked about all of them again
 * and again.
 */
#ifndef PYPERF_TARGETS_CONTAINERS_H
#define PYPERF_TARGETS_CONTAINERS_H

#include <linux/types.h>

#include "targets/registry.h"

struct container;
struct kubelet;
struct loop;
struct questions;
struct worker_reply;

/* The objects are borrowed. */
struct containers {
	struct registry *registry;
	struct questions *questions;
	struct kubelet *kubelet; /* is told of each pod; may be NULL */
	__u32 last_asked;	 /* struct process.id of the last process that was asked about; 0 at first */
};

/*
 * Asks about a few processes, so that after some time all have been asked about. It asks about none while the
 * worker has much else to do.
 */
void containers_ask(struct containers *c);
/* Adds the row that does so each second. 0 or -errno of loop_watch(). */
int containers_watch(struct containers *c, struct loop *loop);
/* Takes the worker's answer to a CONTAINER of the process with this number (struct process.id). */
void containers_reply(const struct containers *c, __u32 process, const struct worker_reply *r);

/* Puts the container into an entry of the registry. The strings remain those of c. */
void containers_fill(const struct container *c, struct registry_entry *e);

#endif
