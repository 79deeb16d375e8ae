/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verdicts.h - what is decided about a process once the worker has looked at it: whether it is Python, with
 * which layout, and whether it is to be profiled. The kernel side is told, and from when it may ask again; a
 * Python process gets into the registry.
 */
#ifndef PYPERF_TARGETS_VERDICTS_H
#define PYPERF_TARGETS_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

struct kernel;
struct kubelet;
struct loop;
struct questions;
struct registry;
struct ruling;
struct selection;
struct verdicts;
struct worker_reply;

/*
 * Borrows all. programs: those that are no Python are profiled, too. kubelet, which is told of each pod that
 * is met, may be NULL. 0 or -ENOMEM.
 */
int verdicts_new(struct verdicts **ret, struct kernel *kernel, struct registry *registry,
		 const struct selection *selection, bool programs, struct kubelet *kubelet,
		 struct questions *questions);
void verdicts_free(struct verdicts *v); /* NULL is fine */

/*
 * Asks the worker about a process. 0, -ENOMEM, or -EAGAIN when its queue is full. Where the user has no more
 * places in it, an older process of his loses its own, and is asked about again when it runs.
 */
int verdicts_ask(struct verdicts *v, const struct record_process *p);
/* The same, but nobody loses a place: -EAGAIN when the user has no more. */
int verdicts_ask_patiently(struct verdicts *v, const struct record_process *p);
/*
 * The kernel side asks about a process: it is told the verdict that there was (verdicts_again()), or the
 * worker is asked. If it cannot be, the kernel side asks again.
 */
void verdicts_met(struct verdicts *v, const struct record_process *p);
/* Takes the worker's answer about this process. */
void verdicts_reply(struct verdicts *v, const struct record_process *p, const struct worker_reply *r);
/* A process has begun a program in which a layout was proved before: it is looked at all the same. */
void verdicts_known(struct verdicts *v, const struct record_known *e);
/* A process has forked: what is true of it is true of its child. */
void verdicts_fork(struct verdicts *v, const struct record_fork *e);
/* A process has ended, or calls exec. */
void verdicts_exit(struct verdicts *v, const struct record_exit *e);

/* Adds the row that looks at processes which have only begun (expected.h). 0 or -errno of loop_watch(). */
int verdicts_watch(struct verdicts *v, struct loop *loop);

/* The process of this number has ended, of which there was no record. */
void verdicts_ended(struct verdicts *v, __u32 pid, __u32 id);

/*
 * Which processes are to be profiled has changed: nothing is decided about any from now on, so each is asked
 * about again. Only where every process is of interest: of one that was named nobody would ask. 0 or -errno.
 */
int verdicts_anew(struct verdicts *v);

/*
 * The kernel side asks about a process that it had to forget for want of room. True when it is told the
 * verdict that there was, which is still good, or when there is no room for any: the worker need not look.
 */
bool verdicts_again(struct verdicts *v, const struct record_process *p);

/* How many processes there is a ruling on; and those of which lives() says false are forgotten. */
size_t verdicts_count(const struct verdicts *v);
void verdicts_keep(struct verdicts *v, bool (*lives)(void *context, const struct ruling *ruling),
		   void *context);

/*
 * The state of a pid that was asked about: 0 = nothing is decided yet, PROCESS_WANTED = it may not be looked
 * at.
 */
enum process_state verdicts_find(const struct verdicts *v, __u32 pid);
/* What is said of processes without Python frames. */
struct no_frames *verdicts_no_frames(struct verdicts *v);
/* Why a process is no Python: for the last one only of which that was found, so ask at once. */
const char *verdicts_why_no_python(const struct verdicts *v, __u32 pid);

#endif
