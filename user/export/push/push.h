/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push.h - a queue of profiles on their way to a receiver over HTTP. Nothing here waits: the owner polls
 * push_fd() and calls push_run(). What fails is tried again a few times, later and later, then given up; so
 * is the oldest when too many wait. Certificates of https are verified.
 */
#ifndef PYPERF_EXPORT_PUSH_PUSH_H
#define PYPERF_EXPORT_PUSH_PUSH_H

#include <linux/types.h>

#include "export/push/request.h"

#define PUSH_WAITING_MAX 256		  /* profiles ... */
#define PUSH_BYTES_MAX	 (64UL << 20)	  /* ... and bytes of them */
/* of one; 1, 2, 4 and 8 seconds between them, a quarter more or less */
#define PUSH_ATTEMPTS	 5
#define PUSH_HEADERS_MAX 65536		  /* bytes of the header file */

struct push_options {
	const char *url;	 /* as for push_target_parse() */
	int format;		 /* enum push_format or -1 */
	const char *header_file; /* "Name: value" lines, read for each attempt; NULL = none */
	const char *ca_file;	 /* PEM certificates to trust; NULL = the system's */
	long timeout_seconds;	 /* of one attempt */
};

struct push_stats {
	__u64 delivered, failures; /* profiles; attempts */
	__u64 dropped;		   /* profiles given up */
};

struct push;

/* The options' strings are copied. -EINVAL for the URL; -ENOMEM. */
int push_open(struct push **ret, const struct push_options *o);
void push_close(struct push *push);
/* Other options from now on, for what waits too. On failure the old ones stay. */
int push_set_options(struct push *push, const struct push_options *o);

/* Queues a profile; all of it is copied. Returns 0 or -ENOMEM. */
int push_add(struct push *push, const struct push_profile *p);

/* Readable (level-triggered) when push_run() has something to do. The same for its whole life. */
int push_fd(const struct push *push);
/* Milliseconds until push_run() is due in any case, -1 = never. */
int push_timeout_ms(const struct push *push);
void push_run(struct push *push);

/* The end is near: no pauses any more, and one attempt for each. */
void push_hurry(struct push *push);
/* Profiles that wait or are under way. */
size_t push_waiting(const struct push *push);
/* Gives up what waits. */
void push_drop_all(struct push *push);

const struct push_stats *push_get_stats(const struct push *push);
/* What went wrong last, one line; "" while all goes well: nothing has failed since the queue was empty. */
const char *push_trouble(const struct push *push);

#endif
