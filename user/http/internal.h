/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - what the files of http/ share. server.c runs the loop, route.c sends a request to its subject,
 * and each subject answers by the functions of answer.h.
 */
#ifndef PYPERF_HTTP_INTERNAL_H
#define PYPERF_HTTP_INTERNAL_H

#include <microhttpd.h>

#include "http/connections.h"
#include "http/query.h"
#include "http/recent.h"
#include "http/server.h"

#define HTTP_NEVER 1e18 /* seconds */

struct listener {
	struct http *http;
	struct MHD_Daemon *daemon;
	bool metrics_only;
	bool local; /* bound to a loopback address */
};

struct http_counts {
	__u64 answers, refusals;   /* with status below 400, and others */
	__u64 profiles, abandoned; /* profile requests that got one, and those whose client went away */
	unsigned int open;	   /* profile requests under way */
};

struct http {
	struct http_source source;
	int epoll; /* the daemons' own, and the sockets of clients that wait for a profile */
	struct listener listeners[2];
	size_t listener_count;
	struct connections connections;
	struct visit *waiting;
	struct recent recent;
	struct http_counts counts;
	size_t active; /* requests not answered in full */
	bool ready, finishing;
};

/* One request. Those for a profile wait: for their time to pass, then for names. */
struct visit {
	struct http *http;
	const struct listener *listener;
	struct MHD_Connection *connection;
	enum { VISIT_NEW, VISIT_SAMPLING, VISIT_NAMING, VISIT_DONE, VISIT_GONE } stage;
	double due; /* when the stage ends at the latest */
	struct window *window;
	struct query query;
	struct visit *next;
};


#endif
