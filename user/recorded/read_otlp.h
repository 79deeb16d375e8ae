/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_otlp.h - profiles in OpenTelemetry's format, as formats/otlp.c writes them and others may. For
 * read_*.c alone: read_pprof() reads both formats.
 */
#ifndef PYPERF_RECORDED_READ_OTLP_H
#define PYPERF_RECORDED_READ_OTLP_H

#include <stdbool.h>

#include "recorded/read_parts.h"

struct read_attribute {
	struct recorded_label label; /* key 0: its value is no text and no number */
	struct wire value;	     /* AnyValue */
	bool is_said;		     /* its comments are those of recorded */
};

struct read_link {
	__u32 trace, span; /* ids of strings; 0 = it has none */
};

/* Whether it has the fields of OTLP, and none that only pprof has. */
bool read_otlp_is(struct wire message);
int read_otlp(struct pprof_reader *r);
/* The tables that all profiles share. */
int read_otlp_dictionary(struct pprof_reader *r, struct wire m);
/* An element of a table; NULL: it has none of that index. */
struct read_attribute *read_otlp_attribute(const struct pprof_reader *r, __u64 index);
/* What an AnyValue says, as a label with this key; or key 0. */
int read_otlp_value(struct pprof_reader *r, struct wire any, __u32 key, struct recorded_label *ret);

#endif
