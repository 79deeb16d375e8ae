/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * captures.h - the names of code objects. The kernel side copies a code object when it first meets it. What
 * it could not read, since a page was not in memory or the line table is large, is asked of the worker, which
 * can wait for it.
 */
#ifndef PYPERF_TARGETS_CAPTURES_H
#define PYPERF_TARGETS_CAPTURES_H

#include <stddef.h>

struct codes;
struct record_code;
struct kernel;
struct question;
struct questions;
struct registry;
struct worker_reply;

/* All borrowed. */
struct captures {
	struct kernel *kernel; /* has the layouts */
	struct codes *codes;
	const struct registry *registry;
	struct questions *questions;
};

/* A record of the kernel side: keeps it, and asks for what is missing. */
void captures_record(const struct captures *c, const struct record_code *e, size_t size);
/* The worker's answer to a CAPTURE or a TABLE. May change the record in it. */
void captures_reply(const struct captures *c, const struct question *q, struct worker_reply *r);

#endif
