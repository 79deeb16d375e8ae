/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * captures.h - the names and line tables of code objects. The kernel side copies a code object when it
 * first meets it. What it could not read, since a page was not in memory or the line table is large, is
 * asked of the worker, which can wait for it. A question for which the worker has no room, or which it
 * could not answer, is asked again.
 */
#ifndef PYPERF_SYMBOLS_CAPTURES_H
#define PYPERF_SYMBOLS_CAPTURES_H

#include <stddef.h>
#include <linux/types.h>

struct asleep;
struct capture;
struct codes;
struct kernel;
struct kernel_range;
struct questions;
struct record_code;
struct registry;
struct seen_code;

struct capture_list {
	struct capture *first;
	size_t count;
};

/* The first four are borrowed; the others begin as zero. */
struct captures {
	struct kernel *kernel; /* has the layouts */
	struct codes *codes;
	const struct registry *registry;
	struct questions *questions;
	struct capture *wanted;	   /* code objects of which something is missing, by number */
	struct capture_list ready; /* to be asked for as soon as the worker has room, the oldest first */
	struct capture_list later; /* those that failed, and wait for their time */
	__u64 looked;		   /* when it was last looked whose time has come, CLOCK_MONOTONIC, ns */
};

/* Forgets all that is missing, and what the worker was asked. */
void captures_clear(struct captures *c);
/* Takes a record of the kernel side, of size bytes, and asks for what it lacks. */
void captures_record(struct captures *c, const struct record_code *e, size_t size);
/*
 * Takes a code object of this process that user space has seen, and that nobody else has sent: number is the
 * kernel side's. What it lacks of its names is asked for.
 */
void captures_given(struct captures *c, const struct asleep *of, const struct seen_code *code, __u32 number);
/*
 * To be called when the worker may have room again: asks for what it could not be asked yet, or failed
 * before.
 */
void captures_retry(struct captures *c);
/*
 * These numbers of code objects mean others from now on: what is missing of them is not wanted any more, and
 * answers about them are dropped.
 */
void captures_forget(struct captures *c, struct kernel_range codes);
/* How many wait for room in the worker's queue. */
size_t captures_waiting(const struct captures *c);

#endif
