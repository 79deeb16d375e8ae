/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_pprof.h - pprof files, of this program or of any other, into a struct recorded; and those of OTLP,
 * which are told by their fields.
 */
#ifndef PYPERF_RECORDED_READ_PPROF_H
#define PYPERF_RECORDED_READ_PPROF_H

#include <stddef.h>

struct recorded;

/*
 * Adds a profile, compressed or not, to those that r has. 0; -EBADMSG, -EFBIG, -E2BIG, -EINVAL for sample
 * types that are others than r's, with *ret_why, a text that says it; -ENOMEM. After a failure r can only be
 * freed.
 */
int read_pprof(struct recorded *r, const void *data, size_t size, const char **ret_why);

#endif
