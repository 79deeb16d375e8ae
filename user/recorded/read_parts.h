/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_parts.h - the parts of one profile while it is read. For read_*.c alone.
 */
#ifndef PYPERF_RECORDED_READ_PARTS_H
#define PYPERF_RECORDED_READ_PARTS_H

#include "base/buf.h"
#include "base/wire.h"
#include "formats/pprof_wire.h"
#include "recorded/interned.h"
#include "recorded/recorded.h"

#define READ_FRAMES_MAX (1u << 28) /* of all samples of a file, equal ones counted each: what it may cost */

/* Records of a message by their ids, which are any numbers. */
struct read_ids {
	struct interned numbers; /* of 8 bytes; the id of that is the index + 1 */
	struct buf near;	 /* __u32[], index + 1 by id, as far as ids count up; 0 = ask numbers */
	struct buf records;	 /* by index */
};

struct read_line_range {
	__u32 first, count; /* in reader.lines */
};

struct pprof_reader {
	struct recorded *recorded;
	struct wire message;
	struct buf texts;		   /* struct wire[], the string table */
	struct buf text_ids;		   /* __u32[]: of recorded, + 1; 0 = was not needed yet */
	struct read_ids mappings;	   /* of struct read_mapping */
	struct read_ids functions;	   /* of __u32, ids of recorded */
	struct read_ids locations;	   /* of struct read_line_range */
	struct buf lines;		   /* __u32[], places of recorded */
	struct buf places, values, labels; /* of the sample at hand */
	/* Of OTLP alone. */
	struct buf attributes; /* struct read_attribute[], by index */
	struct buf links;      /* struct read_link[], by index */
	struct buf stacks;     /* struct wire[], by index */
	struct buf resource;   /* labels of the resource at hand */
	size_t index;	       /* of the record at hand in its table */
	size_t type;	       /* of the samples at hand */
	__s64 start_ns, duration_ns;
	size_t type_count, frames;
	size_t columns[RECORDED_TYPES_MAX]; /* of a sample's values: which types of recorded they are */
	int memory, shrinkage; /* which types of recorded these are, if the file has them; else -1 */
	__u32 pid;	       /* string: the label's key */
	const char *why;
};

/* Says why, and returns err. */
int read_fail(struct pprof_reader *r, int err, const char *why);
/* Calls f with each message in the fields of this number. */
int read_each(struct pprof_reader *r, const struct wire *message, __u32 number,
	      int (*f)(struct pprof_reader *r, struct wire m));
/* The last number of each scalar field from 1 to n, at ret[field]; 0 of those that are not there. */
int read_scalars(struct pprof_reader *r, struct wire m, __u64 *ret, size_t n);
/* The string of recorded for an index of the table. */
int read_text(struct pprof_reader *r, __u64 index, __u32 *ret);
/* The next text of the table. */
int read_text_add(struct pprof_reader *r, struct wire m);
/* Adds a record under an id, of `size` bytes. */
int read_ids_add(struct pprof_reader *r, struct read_ids *ids, __u64 id, const void *record, size_t size);
/* The record; NULL: no record has that id. */
const void *read_ids_find(struct read_ids *ids, __u64 id, size_t size);

struct read_mapping {
	__u64 start;	/* its lowest address */
	__u32 recorded; /* its id there */
	__u32 unused;
};

struct read_location {
	__u64 id, mapping, address; /* mapping: 0 = none */
	__u32 line;		    /* which field of the message has its lines */
};
/* Adds a location, of which m is the message. */
int read_location_add(struct pprof_reader *r, struct wire m, const struct read_location *l);
/* Adds a place to the lines: of a function that is known or, with 0, of one that gets its name here. */
int read_place_add(struct pprof_reader *r, struct recorded_place *p);
/* Of the file, unless it is outside of the time that is wanted: -ERANGE. */
int read_times(struct pprof_reader *r, __s64 start, __s64 duration);
int read_numbers(struct pprof_reader *r, const struct wire_field *field,
		 int (*add)(struct pprof_reader *r, __u64 number));
/* Adds the places of a location to the sample at hand. */
int read_location_of_sample(struct pprof_reader *r, __u64 id);
int read_value_of_sample(struct pprof_reader *r, __u64 value);
/* Adds a label to those of a sample, or of a resource. 0, -E2BIG or -ENOMEM. */
int read_label_add(struct pprof_reader *r, struct buf *to, const struct recorded_label *label);
/*
 * The file's types are known and its samples come next: whether memory was measured, from then until then.
 */
int read_growths_begin(struct pprof_reader *r, __s64 start, __s64 duration);
/* The sample at hand has these values, by the types of recorded. */
int read_values(struct pprof_reader *r, const __s64 *values);
/* Where it is the first of two profiles: the label that says so. */
int read_base(struct pprof_reader *r);

void read_close(struct pprof_reader *r);
int read_header(struct pprof_reader *r);
int read_places(struct pprof_reader *r);
int read_samples(struct pprof_reader *r);

#endif
