/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_owners.h - whom samples belong to, as OTLP says it: a process is a resource with attributes, and the
 * labels that are left are attributes of the samples, or a link to the span that they are of.
 */
#ifndef PYPERF_FORMATS_OTLP_OWNERS_H
#define PYPERF_FORMATS_OTLP_OWNERS_H

#include <linux/types.h>

#include "base/buf.h"
#include "formats/otlp_table.h"

struct otlp_dictionary;
struct profile;

struct otlp_owner {
	__u32 is_known;	    /* the rest is set */
	__u32 resource;	    /* index in the table of resources */
	__u32 link;	    /* to its span, in the dictionary; 0 = it has none */
	size_t start, size; /* of its attributes' indices, a packed list, in `indices` */
};

struct otlp_owners {
	const struct profile *profile;
	struct otlp_dictionary *dictionary;
	const char *host;	     /* or NULL */
	struct otlp_table resources; /* messages Resource */
	struct otlp_owner *owners;   /* by the profile's ids */
	struct buf indices;
};

/* host: this machine's name, if it is to be said. All is borrowed. 0 or -ENOMEM. Close it in both cases. */
int otlp_owners_open(struct otlp_owners *o, const struct profile *p, const char *host,
		     struct otlp_dictionary *d);
void otlp_owners_close(struct otlp_owners *o);
/* 0 or -ENOMEM. It is valid until the next call. */
int otlp_owners_get(struct otlp_owners *o, __u32 id, const struct otlp_owner **ret);

/* The label that has this attribute's value; an attribute of no label of ours is its own. */
const char *otlp_owners_label(const char *attribute);

#endif
