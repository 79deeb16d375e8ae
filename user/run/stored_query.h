/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stored_query.h - the URL of a store of profiles, and what is asked for with it.
 */
#ifndef PYPERF_RUN_STORED_QUERY_H
#define PYPERF_RUN_STORED_QUERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "options/options.h"

#define STORED_QUERY_MAX 4096

enum stored_kind { STORED_PYROSCOPE, STORED_PARCA };

struct stored_query {
	enum stored_kind kind;
	const char *url; /* borrowed; in messages up to its '?' */
	const char *own; /* http[s]://HOST and perhaps a prefix, ... */
	size_t own_size; /* ... without slashes at its end */
	char type[STORED_QUERY_MAX], selector[STORED_QUERY_MAX];
	char tenant[128]; /* "" = none is named */
	__s64 from_ns, to_ns;
};

/* Whether it is the URL of a store; which kind, if ret_kind is not NULL. */
bool stored_query_is(const char *text, enum stored_kind *ret_kind);
/* labels: those that have to fit besides; NULL = none. 0, -EINVAL or -E2BIG. */
int stored_query_parse(const struct options *o, const char *url, const char *labels, struct stored_query *q);
/* A selector with more labels in its braces, with a NUL. 0, -EINVAL or -ENOMEM. */
int stored_query_narrow(const char *selector, const char *labels, struct buf *ret);
/* The same type of profile with another sample type; false: the query's has no such form. */
bool stored_query_type(const struct stored_query *q, const char *type, const char *unit,
		       char ret[STORED_QUERY_MAX]);

#endif
