/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_pprof.h - profiles that were read, written as pprof once more: two of them as one, in which the
 * values of the first are negative, as go tool pprof -diff_base writes it.
 */
#ifndef PYPERF_RECORDED_WRITE_PPROF_H
#define PYPERF_RECORDED_WRITE_PPROF_H

#include <stdbool.h>

#include "base/buf.h"

struct recorded;

/*
 * Compressed, to the end of out. Values of stacks with the label of the base (recorded.h) are taken times
 * -scale; takes: by stack id - 1, or NULL for all. 0; -ENOMEM; -EINVAL for one record of 4 GiB.
 */
int write_pprof(const struct recorded *r, double scale, const bool *takes, struct buf *out);

#endif
