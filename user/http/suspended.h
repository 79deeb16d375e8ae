/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * suspended.h - a request that waits before it is answered, and that MHD does not look at meanwhile. Only its
 * subject knows for what it waits. Those of one subject stand in a list, who came first at its head.
 */
#ifndef PYPERF_HTTP_SUSPENDED_H
#define PYPERF_HTTP_SUSPENDED_H

#include <stdbool.h>

#include "base/buf.h"
#include "http/answer.h"
#include "http/connections.h"

/* Of the subject's own structure this is the first member. */
struct suspended {
	/* MHD has come back to it, since it waits no longer: answers it, or has it wait again. */
	enum MHD_Result (*end)(struct suspended *w);
	/* It is over, whatever became of it. */
	void (*free)(struct suspended *w);
	struct client client;
	struct client_address address;
	int error; /* why there is no text */
	struct buf out;
	struct suspended *next;
};

/* A request of this client, which does not wait yet. */
struct suspended suspended_begin(const struct client *c, enum MHD_Result (*end)(struct suspended *w),
				 void (*free)(struct suspended *w));
/* From now on it waits, for as long as that takes. */
void suspended_add(struct suspended **first, struct suspended *w);
/* Back to MHD, which then calls again for the answer. */
void suspended_wake(struct suspended **first, struct suspended *w, int error);
void suspended_wake_all(struct suspended **first, int error);
/* Whether as many wait as may, or as many from this address. */
bool suspended_are_full(const struct suspended *first, const struct client_address *address,
			unsigned int most, unsigned int of_one);
/* For .free of subjects that own nothing but this and its text. */
void suspended_free(struct suspended *w);

#endif
