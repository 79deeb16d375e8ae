/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * health.h - what a probe asks. /healthz: that it answers says that the event loop turns. /readyz: whether
 * profiles can be had.
 */
#ifndef PYPERF_HTTP_HEALTH_H
#define PYPERF_HTTP_HEALTH_H

#include "http/answer.h"

enum health {
	HEALTH_STARTING, /* sampling has not begun */
	HEALTH_SAMPLING, /* profiles can be had */
	HEALTH_ENDING,	 /* sampling has ended; the server does when all have their answers */
};

enum MHD_Result health_alive(const struct client *c);
enum MHD_Result health_ready(enum health health, const struct client *c);
/* For whoever wants a profile while there is none to be had. */
enum MHD_Result health_refuse(enum health health, const struct client *c);

#endif
