/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - from the address of a request to the subject that answers it. Each subject gets the client, and
 * of the site only what it reads.
 */
#ifndef PYPERF_HTTP_ROUTE_H
#define PYPERF_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "http/address.h"
#include "http/answer.h"
#include "http/interval_request.h"
#include "http/followers.h"
#include "http/health.h"
#include "http/hosts.h"
#include "http/profile_request.h"
#include "http/recent.h"
#include "http/inputs.h"
#include "http/interval_list.h"
#include "http/source_request.h"
#include "http/stacks_request.h"
#include "http/token.h"
#include "http/viewer_files.h"

/* All that there is to be had. */
struct site {
	struct http_inputs inputs;
	enum health health;
	struct recent recent;
	struct interval_requests intervals;
	struct followers followers;
	struct token token;
	struct hosts hosts;
	struct profile_requests profiles;
	struct stacks_requests stacks;
	struct source_requests source;
	struct viewer_files *viewer; /* NULL: there is none */
	struct answer_counts answers;
	size_t active; /* requests that are not answered in full */
};

/* An address at which the site is to be had, or a part of it. */
struct entrance {
	struct site *site;
	enum exposure exposure;
	bool local;   /* http_address_is_local() */
	bool is_unix; /* http_address_is_unix() */
};

/* MHD's handler of requests; context is struct entrance. */
enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own);
/* MHD's notice that a request is over, whatever became of it. */
void route_completed(void *context, struct MHD_Connection *connection, void **own,
		     enum MHD_RequestTerminationCode code);

#endif
