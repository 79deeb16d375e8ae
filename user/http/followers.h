/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * followers.h - /debug/pyperf/follow: server-sent events, one at the end of each interval with its serial
 * number. What a page then asks for is encoded once for all of them (interval_request.h).
 */
#ifndef PYPERF_HTTP_FOLLOWERS_H
#define PYPERF_HTTP_FOLLOWERS_H

#include <stdbool.h>

#include "http/answer.h"

#define FOLLOWERS_MAX	 96 /* at once */
#define FOLLOWERS_OF_ONE 72 /* of these, from one address */

struct follower;

/* All followers. Whoever makes this sets the first one, which is borrowed. */
struct followers {
	const unsigned long *newest; /* the number of the newest interval */
	struct follower *first;
	unsigned int count;
	unsigned long serial; /* of the newest interval that they know; 0 = none yet */
	bool ended;
};

enum MHD_Result followers_answer(struct followers *all, const struct client *c);
/* Tells them if there is a new interval. */
void followers_run(void *all, double now);
/* No more events come, and who asks is refused. */
void followers_finish(void *all);

#endif
