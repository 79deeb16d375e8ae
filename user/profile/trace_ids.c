// SPDX-License-Identifier: GPL-2.0-only
#include "profile/trace_ids.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEX "0123456789abcdefABCDEF"

void trace_ids_text(const struct trace_ids *ids, char trace[TRACE_TEXT], char span[SPAN_TEXT])
{
	snprintf(trace, TRACE_TEXT, "%016llx%016llx", ids->high, ids->low);
	snprintf(span, SPAN_TEXT, "%016llx", ids->span);
}

static bool is_hex(const char *text, size_t digits)
{
	return strlen(text) == digits && strspn(text, HEX) == digits;
}

int trace_ids_parse(const char *trace, const char *span, struct trace_ids *ret)
{
	struct trace_ids ids;

	if (!is_hex(trace, TRACE_TEXT - 1) || !is_hex(span, SPAN_TEXT - 1) ||
	    sscanf(trace, "%16llx%16llx", &ids.high, &ids.low) != 2 || sscanf(span, "%llx", &ids.span) != 1)
		return -EINVAL;
	*ret = ids;
	return 0;
}

int trace_wanted_parse(const char *text, struct trace_wanted *ret)
{
	struct trace_wanted w = { .each = true };

	if (strcmp(text, "each")) {
		w.one = true;
		if (!is_hex(text, TRACE_TEXT - 1) || sscanf(text, "%16llx%16llx", &w.of.high, &w.of.low) != 2)
			return -EINVAL;
	}
	*ret = w;
	return 0;
}

bool trace_is_wanted(const struct trace_wanted *w, const struct trace_ids *ids)
{
	return !w->one || (ids->span && ids->high == w->of.high && ids->low == w->of.low);
}
