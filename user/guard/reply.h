/* SPDX-License-Identifier: GPL-2.0-only */
/* reply.h - what a worker may say (worker.h): what it reads may have taken it over. */
#ifndef PYPERF_GUARD_REPLY_H
#define PYPERF_GUARD_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/worker.h"

/* Bytes of a reply of this kind, on its way from the child: the head, and what is no table. */
size_t reply_size(enum answer_kind answer);

/* Whether it answers this request, which has a row, and whoever reads its strings stays within them. */
bool reply_is_sane(const struct worker_reply *reply, const struct worker_request *request);

#endif
