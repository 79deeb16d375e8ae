/* SPDX-License-Identifier: GPL-2.0-only */
/* reply.h - what a worker may say (worker.h): what it reads may have taken it over. */
#ifndef PYPERF_GUARD_REPLY_H
#define PYPERF_GUARD_REPLY_H

#include <stdbool.h>

#include "guard/worker.h"

/* Whether it answers this request, which has a row, and whoever reads its strings stays within them. */
bool reply_is_sane(const struct worker_reply *reply, const struct worker_request *request);

#endif
