/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rewrite.h - `pyperf-bpf report FILE --output FILE`: profiles that are there in another format, as one.
 */
#ifndef PYPERF_RUN_REWRITE_H
#define PYPERF_RUN_REWRITE_H

#include <stdbool.h>

#include "options/options.h"
#include "recorded/recorded.h"

/* only: by stack id - 1, which stacks --of leaves; NULL = all. Logs; the exit code. */
int rewrite(const struct options *o, struct recorded *r, const bool *only);

#endif
