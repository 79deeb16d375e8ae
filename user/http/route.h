/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - from an address to the subject that answers it.
 */
#ifndef PYPERF_HTTP_ROUTE_H
#define PYPERF_HTTP_ROUTE_H

#include "http/internal.h"

/* MHD's handler; context is struct listener. */
enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own);
/* What is behind the '?' into v->query; false: its error says what is wrong. */
bool route_read_query(struct visit *v);
/* Whether a Host header names this machine in a way that no foreign name server can: by address or as
 * localhost. */
bool route_host_is_local(const char *host);

#endif
