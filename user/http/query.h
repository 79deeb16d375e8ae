/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - what a client asks for that wants a profile, by the keys of its address.
 */
#ifndef PYPERF_HTTP_QUERY_H
#define PYPERF_HTTP_QUERY_H

#include <stdbool.h>
#include <linux/types.h>

#include "formats/formats.h"
#include "http/keys.h"
#include "profile/filter.h"
#include "profile/trace_ids.h"

struct MHD_Connection;

#define QUERY_SECONDS	  10 /* unless asked otherwise */
#define QUERY_SECONDS_MAX 600

#define QUERY_TOP	  10
#define QUERY_TOP_MAX	  1000000

#define QUERY_NOT_TRACED      "the profiler was not started with --trace otel"
#define QUERY_NOT_OF_THIS_RUN "the profiler was not started with --event of this type"

/* What no file has. */
enum query_form {
	FORM_NONE,
	FORM_GRAPH, /* as the page draws it */
	FORM_HEAT,  /* of the log: as cells of the page's heat map */
	FORM_REPORT, FORM_REPORT_JSON, /* of a trace */
	QUERY_FORMS
};

struct query {
	int seconds;		   /* how long the profile is to be */
	bool of_log;		   /* what is asked for is a stretch of the log: */
	double last;		   /* ... the last seconds, ... */
	double from, to;	   /* ... or of this time, Unix seconds; 0 = the log's begin, and now */
	struct trace_wanted trace; /* ... by its spans, or of one trace only */
	enum format format;
	struct profile_filter filter;
	struct keys keys;
	enum query_form form; /* in place of the format, unless it is FORM_NONE */
	size_t top;	      /* rows of each table of a report */
};

void query_begin(struct query *q);
/* Those of a profile that is asked for, and those of a stretch of the log. */
extern const struct key_table query_keys, query_log_keys;
/* All of what a client asks for, as keys_read(). */
int query_read(struct query *q, struct MHD_Connection *connection);
/* The same of a stretch of the log. */
int query_read_log(struct query *q, struct MHD_Connection *connection);
/* The same of one that is to be written: its time, and its trace. */
int query_read_log_order(struct query *q, struct MHD_Connection *connection);
/*
 * Which stretch that is, ns of CLOCK_MONOTONIC: nothing is before `oldest`, and nothing after now. *ret_to is
 * not behind *ret_from where the log has nothing of it.
 */
void query_stretch(const struct query *q, __u64 oldest, __u64 *ret_from, __u64 *ret_to);

/* All of what a client asks for that wants intervals that are kept; from and to are as of the log. */
int query_read_interval(struct query *q, struct MHD_Connection *connection);

#endif
