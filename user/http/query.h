/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - what a client asks for that wants a profile, by the keys of its address.
 */
#ifndef PYPERF_HTTP_QUERY_H
#define PYPERF_HTTP_QUERY_H

#include <stdbool.h>

#include "http/keys.h"
#include "profile/filter.h"
#include "profile/formats.h"

struct MHD_Connection;

#define QUERY_SECONDS	  10 /* unless asked otherwise */
#define QUERY_SECONDS_MAX 600

#define QUERY_NOT_OF_THIS_RUN "the profiler was not started with --event of this type"

struct query {
	int seconds; /* how long the profile is to be */
	enum format format;
	struct profile_filter filter;
	struct keys keys;
};

void query_begin(struct query *q);
/* One key and its value, as keys_add(). */
int query_add(struct query *q, const char *key, const char *value);
/* All of what a client asks for, as keys_read(). */
int query_read(struct query *q, struct MHD_Connection *connection);

#endif
