/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks_query.h - what a client of /debug/pyperf/stacks asks for, by the keys of its address.
 */
#ifndef PYPERF_HTTP_STACKS_QUERY_H
#define PYPERF_HTTP_STACKS_QUERY_H

#include <stdbool.h>
#include <sys/types.h>

#include "http/keys.h"

struct MHD_Connection;

struct stacks_query {
	pid_t pid; /* 0 = every process */
	bool json; /* else text */
	bool async;
	struct keys keys;
};

extern const struct key_table stacks_query_keys;
/* All of what a client asks for, as keys_read(). */
int stacks_query_read(struct stacks_query *q, struct MHD_Connection *connection);

#endif
