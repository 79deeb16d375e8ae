/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push.h - a queue of profiles on their way to a receiver over HTTP. Nothing here waits: the caller polls
 * push_fd() and calls push_run(). A profile that fails is tried again a few times, with growing pauses, and
 * then given up. When too many wait, the oldest of the user who has most is given up. While a receiver that
 * says Retry-After wants to be left alone, all wait. Certificates of https are verified.
 */
#ifndef PYPERF_EXPORT_PUSH_PUSH_H
#define PYPERF_EXPORT_PUSH_PUSH_H

#include <linux/types.h>

#include "export/push/request.h"

#define PUSH_WAITING_MAX 4096		  /* profiles that may wait, ... */
#define PUSH_BYTES_MAX	 (64UL << 20)	  /* ... and bytes of them */
/* How often a profile is tried. Between attempts are 1, 2, 4 and 8 seconds, a quarter more or less. */
#define PUSH_ATTEMPTS	 5
#define PUSH_RETRY_AFTER_MAX 300 /* seconds, whatever a receiver says */
#define PUSH_HEADERS_MAX 65536		  /* bytes of the header file */

struct push_options {
	const char *url;	 /* as for push_target_parse() */
	int format;		 /* enum push_format or -1 */
	const char *header_file; /* "Name: value" lines, read for each attempt; NULL = none */
	const char *ca_file;	 /* PEM certificates to trust; NULL = the system's */
	long timeout_seconds;	 /* of one attempt */
	double interval; /* seconds over which the machines of a fleet are spread (pauses.h); 0 = at once */
};

struct push_stats {
	__u64 delivered; /* profiles that the receiver took */
	__u64 failures;	 /* attempts that failed */
	__u64 dropped;	 /* profiles that were given up */
	__u64 rejected;	 /* parts of OTLP profiles delivered that were not taken (partial_success) */
};

struct push;
struct push_item;

/* Profiles that are to be queued. Begins as 0. It belongs to no queue yet, so any thread may make one. */
struct push_list {
	struct push_item *first, *last;
};

/* Adds a profile, of which it copies everything. 0 or -ENOMEM. */
int push_list_add(struct push_list *l, const struct push_profile *p);
void push_list_free(struct push_list *l);

/* Copies the options' strings. 0; -EINVAL or -EPERM as push_target_parse() has it; -ENOMEM. */
int push_open(struct push **ret, const struct push_options *o);
void push_close(struct push *push);
/*
 * Uses other options from now on, for what waits already as well; but if that is not what the new receiver
 * takes (pprof or OTLP), it is given up. 0 or -errno; then the old ones stay.
 */
int push_set_options(struct push *push, const struct push_options *o);

/* What its receiver takes. */
enum push_format push_get_format(const struct push *push);
/*
 * Queues all profiles of the list, which is empty afterwards. One that its receiver does not take is given
 * up.
 */
void push_add(struct push *push, struct push_list *l);

/* A descriptor, the same for its whole life, that is readable when push_run() has something to do. */
int push_fd(const struct push *push);
/* Milliseconds until push_run() is due in any case, -1 = never. */
int push_timeout_ms(const struct push *push);
void push_run(struct push *push);

/* For the end of a run: from now on there are no pauses, and one more attempt for each profile. */
void push_hurry(struct push *push);
/* How many profiles wait or are under way. */
size_t push_waiting(const struct push *push);
/* Of these, those of one user. */
size_t push_waiting_of(const struct push *push, __u64 user);
/* Gives up everything that waits. */
void push_drop_all(struct push *push);

const struct push_stats *push_get_stats(const struct push *push);
/* Whether credentials of the header file were sent where others can read them: push_target_is_exposed(). */
bool push_is_exposed(const struct push *push);
/* The last failure, as one line; "" if nothing has failed since the queue was last empty. */
const char *push_trouble(const struct push *push);
/*
 * What the receiver said of a profile that it took, or took in part, as one line; "" if it said nothing since
 * the queue was last empty.
 */
const char *push_remark(const struct push *push);

#endif
