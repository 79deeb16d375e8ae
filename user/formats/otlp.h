/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp.h - a profile in the format of OpenTelemetry's protocol (OTLP), gzip-compressed: what a collector
 * takes as the body of a request. There is a resource for each process, and in it a profile for each sample
 * type that pprof has, with the same values.
 */
#ifndef PYPERF_FORMATS_OTLP_H
#define PYPERF_FORMATS_OTLP_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends to out. Equal profiles give equal bytes. 0, or -ENOMEM and then out is unchanged. */
int otlp_encode(const struct profile *p, struct buf *out);
/* The same, and says on which machine it was; valid UTF-8. */
int otlp_encode_of_host(const struct profile *p, const char *host, struct buf *out);

#endif
