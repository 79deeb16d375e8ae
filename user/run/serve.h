/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * serve.h - --listen, --listen-metrics and --listen-health: the HTTP server of a run.
 */
#ifndef PYPERF_RUN_SERVE_H
#define PYPERF_RUN_SERVE_H

#include "http/address.h"
#include "http/server.h"

struct loop;

/* Where to listen; size 0 = not there. */
struct serve_addresses {
	struct http_address all, metrics, health;
};

/*
 * Opens the server, whose clients wait until it is watched; *ret stays NULL if there is no address. Logs;
 * 0 or -errno.
 */
int serve_open(struct http **ret, const struct serve_addresses *addresses, const struct http_inputs *inputs);
/* Sampling has begun. NULL is fine. Logs; 0 or -errno. */
int serve_start(struct http *h);
/* Adds it to the loop: requests are read from then on. NULL is fine. Logs; 0 or -errno. */
int serve_watch(struct http *h, struct loop *loop);
/* Sampling has ended: clients get what they asked for, if they take it within a second. NULL is fine. */
void serve_finish(struct http *h);

#endif
