/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_table.h - a table of encoded messages, each of them once, in the order in which they came.
 */
#ifndef PYPERF_FORMATS_OTLP_TABLE_H
#define PYPERF_FORMATS_OTLP_TABLE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/hash.h"

struct otlp_record {
	UT_hash_handle hh; /* hh.next: the one that came after it */
	__u32 index;	   /* from 0 */
	size_t size;
	char data[];
};

/* Begins as 0. */
struct otlp_table {
	struct otlp_record *records; /* the first */
	size_t bytes;		     /* of all as fields of a message whose numbers are below 16 */
};

/* Finds this message, or adds it. 0 or -ENOMEM. */
int otlp_table_add(struct otlp_table *t, const void *data, size_t size, __u32 *ret_index);
void otlp_table_free(struct otlp_table *t);

#endif
