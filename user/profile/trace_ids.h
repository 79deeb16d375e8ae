/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_ids.h - ids of traces and spans as text, as OpenTelemetry writes them, and which of them are asked
 * for.
 */
#ifndef PYPERF_PROFILE_TRACE_IDS_H
#define PYPERF_PROFILE_TRACE_IDS_H

#include <stdbool.h>

#include "bpf/abi/trace.h"

/* NUL included. */
#define TRACE_TEXT 33
#define SPAN_TEXT  17

void trace_ids_text(const struct trace_ids *ids, char trace[TRACE_TEXT], char span[SPAN_TEXT]);

/* Both as these are written. 0, or -EINVAL; *ret is then as it was. */
int trace_ids_parse(const char *trace, const char *span, struct trace_ids *ret);

struct trace_wanted {
	bool each;	     /* samples of a span have its ids as labels */
	bool one;	     /* ... and only those of this trace are wanted: */
	struct trace_ids of; /* span is 0 */
};

/* "each", or the 32 hexadecimal digits of a trace. 0, or -EINVAL; *ret is then as it was. */
int trace_wanted_parse(const char *text, struct trace_wanted *ret);
bool trace_is_wanted(const struct trace_wanted *w, const struct trace_ids *ids);

#endif
