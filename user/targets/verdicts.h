/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verdicts.h - what is decided about a process once the worker has looked at it: whether it is Python, with
 * which layout, and whether it is to be profiled. The kernel side is told, and from when it may ask again; a
 * Python process gets into the registry.
 */
#ifndef PYPERF_TARGETS_VERDICTS_H
#define PYPERF_TARGETS_VERDICTS_H

#include "bpf/abi.h"

struct kernel;
struct kubelet;
struct registry;
struct selection;
struct verdicts;
struct worker_reply;

/* Borrows all. kubelet, which is told of each pod that is met, may be NULL. 0 or -ENOMEM. */
int verdicts_new(struct verdicts **ret, struct kernel *kernel, struct registry *registry,
		 const struct selection *selection, struct kubelet *kubelet);
void verdicts_free(struct verdicts *v); /* NULL is fine */

/* Takes the worker's answer to an IDENTIFY of this process. */
void verdicts_reply(struct verdicts *v, const struct record_process *p, const struct worker_reply *r);
/* A process has forked: what is true of it is true of its child. */
void verdicts_fork(struct verdicts *v, const struct record_fork *e);
/* A process has ended, or calls exec. */
void verdicts_exit(struct verdicts *v, const struct record_exit *e);

/*
 * The state of a pid that was asked about: 0 = nothing is decided yet, PROCESS_WANTED = it may not be looked
 * at.
 */
enum process_state verdicts_find(const struct verdicts *v, __u32 pid);

#endif
