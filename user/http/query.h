/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - what a client asks for: the part of an address behind the '?'. Every key and value is checked,
 * since a filter that is misspelt and ignored would give somebody else's profile.
 */
#ifndef PYPERF_HTTP_QUERY_H
#define PYPERF_HTTP_QUERY_H

#include <stdbool.h>

#include "profile/filter.h"
#include "profile/formats.h"

struct MHD_Connection;

#define QUERY_SECONDS	  10 /* unless asked otherwise */
#define QUERY_SECONDS_MAX 600
#define QUERY_ERROR_SIZE  512

#define QUERY_NOT_OF_THIS_RUN "the profiler was not started with --event of this type"

struct query {
	int seconds; /* how long the profile is to be */
	enum format format;
	struct profile_filter filter;
	unsigned int seen; /* bits of keys that were there: a second time they are refused */
	char error[QUERY_ERROR_SIZE];
};

void query_begin(struct query *q);
/*
 * One key and its value, without percent escapes; NULL if it has no value. 0, or -EINVAL with one line in
 * error that says what to do. After the first failure nothing is accepted, and its line stays.
 */
int query_add(struct query *q, const char *key, const char *value);
/* Reads all of what a client asks for. 0, or -EINVAL with a line in error as above. */
int query_read(struct query *q, struct MHD_Connection *connection);

#endif
