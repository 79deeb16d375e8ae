/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discover.h - answers the kernel side's questions: is this process Python, and with which layout; what is
 * this code object called. Everything that touches a process is asked of the worker and answered later.
 */
#ifndef PYPERF_TARGETS_DISCOVER_H
#define PYPERF_TARGETS_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/worker.h"
#include "kern/kernel.h"
#include "kubelet/kubelet.h"
#include "names/codes.h"
#include "targets/registry.h"
#include "targets/selection.h"

struct discover;

/* Borrows all. kubelet, which is told of each pod that is met, may be NULL. */
int discover_new(struct discover **ret, struct kernel *kernel, struct worker *worker, struct codes *codes,
		 struct registry *registry, const struct selection *selection, struct kubelet *kubelet);
void discover_free(struct discover *d);

/* A record of the kernel side's ring buffer; fits kernel_on_event(). Always 0. */
int discover_event(void *discover, void *record, size_t size);
/* Asks the worker about a process. 0, or -EAGAIN: the queue is full, and the kernel side will ask again. */
int discover_process(struct discover *d, const struct event_process *p);
/* Takes what the worker has answered. */
void discover_replies(struct discover *d);
/* These numbers of code objects mean others from now on: answers about them are dropped. */
void discover_forget_codes(struct discover *d, struct kernel_range codes);
/*
 * To be called each second: asks for the containers of a few processes, so that after some time all have been asked
 * for. A process can be moved to another cgroup, or its pod's folder appear, long after it was discovered.
 */
void discover_containers(struct discover *d);
/* Questions not answered yet. */
size_t discover_pending(const struct discover *d);

/* The verdict on a pid that was asked about: 0 = none yet, PROCESS_WANTED = it may not be looked at. */
enum process_state discover_verdict(const struct discover *d, __u32 pid);

#endif
