/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - /metrics, in the text format of Prometheus. Numbers about the profiler only: no name from a
 * process that it profiles.
 */
#ifndef PYPERF_HTTP_METRICS_H
#define PYPERF_HTTP_METRICS_H

#include "http/internal.h"

enum MHD_Result metrics_answer(struct visit *v);

#endif
