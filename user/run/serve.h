/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * serve.h - --listen and --listen-metrics: the HTTP server of a run.
 */
#ifndef PYPERF_RUN_SERVE_H
#define PYPERF_RUN_SERVE_H

#include "http/server.h"
#include "run/loop.h"

/* Opens what the options ask for, and adds it to the loop; *ret stays NULL if that is nothing. Logs; 0 or
 * -errno. */
int serve_open(struct http **ret, const struct http_source *source, struct loop *loop);
/* The functions below take NULL, too. Until the server has something to do; -1 = never. */
int serve_timeout_ms(struct http *h);
/* sources: what the loop said. */
void serve_turn(struct http *h, int sources);
/* Sampling has begun. Logs; 0 or -errno. */
int serve_start(struct http *h);
/* ... and ended. */
void serve_finish(struct http *h);

#endif
