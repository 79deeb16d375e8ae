/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof.h - a profile in the gzip-compressed pprof format, which most profile viewers read. Samples carry the
 * values of each kind of event that the profile is of (for ticks samples/count and cpu/nanoseconds), and the
 * labels of labels.def.
 */
#ifndef PYPERF_FORMATS_PPROF_H
#define PYPERF_FORMATS_PPROF_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Appends to out. Equal profiles give equal bytes. It needs about 300 KiB of memory besides the output. 0, or
 * -ENOMEM, and then out is unchanged.
 */
int pprof_encode(const struct profile *p, struct buf *out);
/* The same for a receiver, which keeps the profile's books as samples only (profile/carried.h). */
int pprof_encode_carrying(const struct profile *p, struct buf *out);

#endif
