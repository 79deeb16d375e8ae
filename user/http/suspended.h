/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * suspended.h - requests that wait for an answer of which somebody else makes the text, and that MHD does not
 * look at meanwhile. They stand in a list, who came first at its head.
 */
#ifndef PYPERF_HTTP_SUSPENDED_H
#define PYPERF_HTTP_SUSPENDED_H

#include <stdbool.h>

#include "base/buf.h"
#include "http/answer.h"
#include "http/connections.h"
#include "http/waiting.h"

/* Of the subject's own structure this is the first member. */
struct suspended {
	struct waiting waiting; /* the first member */
	struct client client;
	struct client_address address;
	int error; /* why there is no text */
	struct buf out;
	struct suspended *next;
};

/* A request of this client, which does not wait yet. */
struct suspended suspended_begin(const struct client *c, const struct waiting *waiting);
/* From now on it waits, for as long as that takes. */
void suspended_add(struct suspended **first, struct suspended *w);
/* Back to MHD, which then calls again for the answer. */
void suspended_wake(struct suspended **first, struct suspended *w, int error);
/* Whether as many wait as may, or as many from this address. */
bool suspended_are_full(const struct suspended *first, const struct client_address *address,
			unsigned int most, unsigned int of_one);

#endif
