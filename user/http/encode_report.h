/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode_report.h - a profile of one trace as `pyperf-bpf report --trace` shows it.
 */
#ifndef PYPERF_HTTP_ENCODE_REPORT_H
#define PYPERF_HTTP_ENCODE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct profile;

struct report_wish {
	const char *trace; /* 32 digits */
	size_t top; /* rows of each table */
	bool json;
};

/* Appends it to out. 0 or -errno, and out may have a part. */
int encode_report(const struct profile *p, const struct report_wish *w, struct buf *out);

#endif
