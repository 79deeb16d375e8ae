/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discover.h - answers the kernel side's questions: is this process Python, and with which layout? What is
 * this code object called? Whatever touches a process is asked of the worker and answered later. discover.c
 * joins those who do: it passes each record on to the one who takes its type.
 */
#ifndef PYPERF_TARGETS_DISCOVER_H
#define PYPERF_TARGETS_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

struct codes;
struct discover;
struct kernel;
struct kernel_range;
struct kubelet;
struct natives;
struct questions;
struct registry;
struct selection;
struct worker;

/* What it works with. All borrowed. */
struct discover_parts {
	struct kernel *kernel;
	struct worker *worker;
	struct codes *codes;
	struct natives *natives;
	bool native_lines; /* are wanted */
	struct registry *registry;
	const struct selection *selection;
	bool programs; /* those that are no Python are profiled, too */
	struct kubelet *kubelet; /* is told of each pod that is met; may be NULL */
};

/* 0 or -ENOMEM. */
int discover_new(struct discover **ret, const struct discover_parts *parts);
void discover_free(struct discover *d); /* NULL is fine */

/* A record of the kernel side's ring buffer; fits kernel_on_record(). Always 0. */
int discover_record(void *discover, void *record, size_t size);
/*
 * Asks the worker about a process. 0, -ENOMEM, or -EAGAIN when its queue is full. The kernel side asks again
 * in any case.
 */
int discover_process(struct discover *d, const struct record_process *p);
/*
 * Tells the kernel side that a process is to be profiled, if it turns out to be Python: the verdict on it
 * comes later. 0, or -errno of kernel_set_process().
 */
int discover_want(struct discover *d, const struct record_process *p);
/* By which others ask the worker, too. */
struct questions *discover_questions(const struct discover *d);
/*
 * From now on records of this type go to take(), if they have as many bytes. One that is too short for its
 * type is dropped.
 */
void discover_on_record(struct discover *d, enum record_type type, size_t bytes_min,
			void (*take)(void *subject, const void *record, size_t size), void *subject);
/*
 * Takes what the worker has answered, and asks what it had no room for. To be called in each turn of the
 * loop.
 */
void discover_replies(struct discover *d);
/* These numbers of code objects mean others from now on: answers about them are dropped. */
void discover_forget_codes(struct discover *d, struct kernel_range codes);
/* To be called each second, after the records were read: containers_ask(), recover_check(). */
void discover_second(struct discover *d);
/* Threads that have slept for long: asleep_turn() and asleep_timeout_ms(). */
void discover_asleep(struct discover *d);
int discover_asleep_timeout_ms(const struct discover *d);
/* What asyncio's tasks wait for, and processes that nothing else finds, with --event tasks; likewise. */
void discover_tasks(struct discover *d);
int discover_tasks_timeout_ms(const struct discover *d);
/*
 * Asks for the lines and names of native code that was counted, if these are wanted. Before a profile is
 * made. False: none of them is on its way.
 */
bool discover_lines(struct discover *d);
/* How many questions are not answered yet, or wait to be asked. */
size_t discover_pending(const struct discover *d);

/* As verdicts_find(). */
enum process_state discover_verdict(const struct discover *d, __u32 pid);
/* As verdicts_why_no_python(). */
const char *discover_why_no_python(const struct discover *d, __u32 pid);

#endif
