/* SPDX-License-Identifier: GPL-2.0-only */
/* reply.h - what a worker may say (worker.h): what it reads may have taken it over. */
#ifndef PYPERF_GUARD_REPLY_H
#define PYPERF_GUARD_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/worker.h"

/* The most bytes that a reply of this type may have beside the message. */
size_t reply_table_max(__u32 type);

/* Whether it answers this request, and whoever reads its strings stays within them. */
bool reply_is_sane(const struct worker_reply *reply, const struct worker_request *request);

#endif
