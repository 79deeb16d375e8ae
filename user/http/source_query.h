/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_query.h - what a client of /debug/pyperf/source asks for, by the keys of its address.
 */
#ifndef PYPERF_HTTP_SOURCE_QUERY_H
#define PYPERF_HTTP_SOURCE_QUERY_H

#include <sys/types.h>
#include <linux/types.h>

#include "http/keys.h"
#include "proc/source_text.h"

struct MHD_Connection;

#define SOURCE_QUERY_NAME_SIZE 1024

struct source_query {
	pid_t pid;
	char name[SOURCE_QUERY_NAME_SIZE], file[SOURCE_PATH_SIZE]; /* of the function */
	__u32 line;						   /* at which it begins */
	__u32 from, to; /* the lines that are wanted, SOURCE_LINES_MAX at most */
	struct keys keys;
};

extern const struct key_table source_query_keys;
/* Whether all keys were there, and fit to each other: 0, or -EINVAL as keys_fail(). */
int source_query_end(struct source_query *q);
/* All of what a client asks for, as keys_read(). */
int source_query_read(struct source_query *q, struct MHD_Connection *connection);

#endif
