/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks_query.h - what a client of /debug/pyperf/stacks asks for. As in query.h, every key and value is
 * checked.
 */
#ifndef PYPERF_HTTP_STACKS_QUERY_H
#define PYPERF_HTTP_STACKS_QUERY_H

#include <stdbool.h>
#include <sys/types.h>

struct MHD_Connection;

#define STACKS_QUERY_ERROR_SIZE 128

struct stacks_query {
	pid_t pid; /* 0 = every process */
	bool json; /* else text */
	bool async;
	unsigned int seen; /* bits of keys that were there */
	char error[STACKS_QUERY_ERROR_SIZE];
};

/* One key and its value, NULL if it has none. 0, or -EINVAL with one line in error, as query_add(). */
int stacks_query_add(struct stacks_query *q, const char *key, const char *value);
/* Reads all of what a client asks for. 0, or -EINVAL with a line in error. */
int stacks_query_read(struct stacks_query *q, struct MHD_Connection *connection);

#endif
