/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log_order.h - POST /debug/pyperf/log: a stretch of the log is to be written into the file that the command
 * line names (export/log_file.h). Which file that is, and its format, no client can say.
 */
#ifndef PYPERF_HTTP_LOG_ORDER_H
#define PYPERF_HTTP_LOG_ORDER_H

#include "http/health.h"

struct log_file;

/* Takes the order, and answers that it does; or why not. l may be NULL, or have no path. */
enum MHD_Result log_order_answer(struct log_file *l, enum health health, const struct client *c);

#endif
