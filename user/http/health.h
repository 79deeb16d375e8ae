/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * health.h - /healthz: the event loop turns, since it has answered. /readyz: profiles can be had.
 */
#ifndef PYPERF_HTTP_HEALTH_H
#define PYPERF_HTTP_HEALTH_H

#include "http/internal.h"

enum MHD_Result health_alive(struct visit *v);
enum MHD_Result health_ready(struct visit *v);

#endif
