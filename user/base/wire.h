/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - protobuf messages of unknown origin, field by field and in place: nothing is copied, and nothing
 * is allocated, so a message costs its reader no more than its own bytes.
 */
#ifndef PYPERF_BASE_WIRE_H
#define PYPERF_BASE_WIRE_H

#include <stddef.h>
#include <linux/types.h>

/* A message, or what is left of it. */
struct wire {
	const __u8 *at, *end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	__u32 number;
	enum wire_type type;
	__u64 value;	   /* of all types but WIRE_BYTES */
	struct wire bytes; /* of WIRE_BYTES: a message, a text or packed numbers */
};

static inline struct wire wire_of(const void *data, size_t size)
{
	return (struct wire){ data, size ? (const __u8 *)data + size : data }; /* nothing may be at NULL */
}

/* Takes the next field. 1; 0 at the end of the message; -EBADMSG, also for the groups of old protobuf. */
int wire_next(struct wire *w, struct wire_field *ret);

/* Takes a number that is not a field: packed ones stand one behind the other. 0 or -EBADMSG. */
int wire_number(struct wire *w, __u64 *ret);

/*
 * The numbers of a repeated field, packed or one alone: as a message of numbers for wire_number(). `one` is
 * memory for the latter, and is used until it has been read. 0, or -EBADMSG for a field that has no numbers.
 */
int wire_numbers(const struct wire_field *f, __u8 one[10], struct wire *ret);

#endif
